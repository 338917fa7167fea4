import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import type { Vault } from '#kernel/store/vault'

/** The row that a sealed value is bound to. */
const rowOf = (credentialId: string) => `credentials:${credentialId}`

export function vaultOf({ vault }: App): Vault {
  if (!vault)
    throw problem('encryption_unavailable', {
      detail: 'This server has no encryption key, so it can neither store nor use credentials',
    })
  return vault
}

export const sealValue = (app: App, credentialId: string, value: string): string =>
  vaultOf(app).seal(value, rowOf(credentialId))

/** The value in clear; null when this server's key does not open it. */
export function openValue(
  app: App,
  { id, encrypted_value }: { id: string; encrypted_value: string | null },
): string | null {
  const vault = vaultOf(app)
  if (encrypted_value === null) return null
  try {
    return vault.open(encrypted_value, rowOf(id))
  } catch {
    app.log.error({ credential_id: id }, 'A credential cannot be opened with this encryption key')
    return null
  }
}

const known = new WeakMap<App, Map<string, readonly string[]>>()

/**
 * Remembers what `read` says for a workspace until `forgetKnown`: opening every value for each line of output would be
 * too slow.
 */
export function rememberKnown(app: App, workspace: string, read: () => readonly string[]): readonly string[] {
  const cache = known.get(app) ?? new Map<string, readonly string[]>()
  known.set(app, cache)
  const values = cache.get(workspace) ?? read()
  cache.set(workspace, values)
  return values
}

export const forgetKnown = (app: App, workspace: string): void => void known.get(app)?.delete(workspace)
