import type { App } from '#kernel/app'
import { valueFor } from '../../credentials/oauth/service.ts'
import { credentialFor } from '../connections/service.ts'
import type { Effective } from '../resolved/rules.ts'
import { Unusable } from '../sessions/service.ts'

/** What a server is told of who calls, and the texts in it that nobody else may read. */
export interface Credential {
  headers: Record<string, string>
  secrets: string[]
  credentialId: string | null
}

const none: Credential = { headers: {}, secrets: [], credentialId: null }

/**
 * The credential with which an agent's server is called now: of its own binding, else the server's. Throws `Unusable`
 * for one that cannot be used, or whose tokens were issued for another server.
 */
export function credentialOf(app: App, { server, binding }: Pick<Effective, 'server' | 'binding'>): Credential {
  const { credential_id: id, cred_type, cred_header } = credentialFor(app, server, binding)
  if (id === null) return none
  const value = valueFor(app, server.workspace_id, id, server.endpoint!)
  if (value === null)
    throw new Unusable(`The credential of ${server.name} cannot be used there: people have to renew or replace it`)
  if (!/^[\x20-\x7e]+$/.test(value))
    throw new Unusable(`The credential of ${server.name} cannot be used: it has characters that no header may have`)
  const [header, text] = headerOf(cred_type, value)
  return {
    headers: { [cred_header ?? header]: text },
    secrets: [value, text],
    credentialId: id,
  }
}

function headerOf(type: string | null, value: string): [header: string, text: string] {
  if (type === 'api_key') return ['x-api-key', value]
  if (type === 'basic') return ['authorization', `Basic ${Buffer.from(value, 'utf8').toString('base64')}`]
  return ['authorization', `Bearer ${value}`]
}
