import type { App } from '#kernel/app'
import { usableValue } from '../../credentials/delivery/service.ts'
import type { Effective } from '../resolved/rules.ts'
import { Unusable } from '../sessions/service.ts'

/** What a server is told of who calls, and the texts in it that nobody else may read. */
export interface Credential {
  headers: Record<string, string>
  secrets: string[]
  credentialId: string | null
}

const none: Credential = { headers: {}, secrets: [], credentialId: null }

/** The credential with which an agent's server is called now. Throws `Unusable` for one that cannot be used. */
export function credentialFor(app: App, { server, binding }: Pick<Effective, 'server' | 'binding'>): Credential {
  const id = binding?.credential_id ?? null
  if (!binding || id === null) return none
  const value = usableValue(app, server.workspace_id, id)
  if (value === null) throw new Unusable(`The credential of ${server.name} cannot be used: people have to renew it`)
  if (!/^[\x20-\x7e]+$/.test(value))
    throw new Unusable(`The credential of ${server.name} cannot be used: it has characters that no header may have`)
  const [header, text] = headerOf(binding.cred_type, value)
  return {
    headers: { [binding.cred_header ?? header]: text },
    secrets: [value, text],
    credentialId: id,
  }
}

function headerOf(type: string | null, value: string): [header: string, text: string] {
  if (type === 'api_key') return ['x-api-key', value]
  if (type === 'basic') return ['authorization', `Basic ${Buffer.from(value, 'utf8').toString('base64')}`]
  return ['authorization', `Bearer ${value}`]
}
