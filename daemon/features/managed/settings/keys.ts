import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import type { Vault } from '#kernel/store/vault'
import { queries } from './queries.ts'

export function vaultOf({ vault }: App): Vault {
  if (!vault)
    throw problem('encryption_unavailable', {
      detail: 'This server has no encryption key, so it can neither store nor use a key of the workspace',
    })
  return vault
}

export const rowOf = (workspace: string) => `managed_settings:${workspace}`

/** The key that a workspace uses: its own before the server's; null without any. */
export function keyOf(app: App, workspace: string): string | null {
  const own = queries(app.db).find.get(workspace)
  return own ? vaultOf(app).open(own.key_sealed, rowOf(workspace)) : app.config.managedApiKey || null
}

/** As `keyOf`, or a refusal. */
export function neededKey(app: App, workspace: string): string {
  const key = keyOf(app, workspace)
  if (key === null)
    throw problem('managed_unconfigured', {
      detail: 'There is no key for managed integrations: store one, or set MANAGED_INTEGRATIONS_API_KEY',
    })
  return key
}
