import type { App } from '#kernel/app'
import { valueFor } from '../../credentials/oauth/service.ts'
import { renew, renewEnding } from '../../credentials/oauth-renewal/service.ts'
import type { ServerRow } from '../queries.ts'
import { Unusable, unusable } from '../sessions/service.ts'
import type { Bound } from './queries.ts'
import { credentialFor } from './service.ts'

/** What a server is told of who calls, and the texts in it that nobody else may read. */
export interface Sent {
  headers: Record<string, string>
  secrets: string[]
  credentialId: string | null
}

/** Removes secrets from whatever it is given. */
export type Clean = <T>(value: T) => T

/** Who calls a server over HTTP, and how secrets are taken out of what it says. */
export interface Calling {
  server: ServerRow
  /** Null for the credential of the server itself. */
  binding: Bound | null
  scrubber(secrets: readonly string[]): Clean
  /** Whether a credential may be sent to the server now; throws `Unusable` where not. Absent: Muster itself asks. */
  permit?(credentialId: string): Promise<void>
}

const none: Sent = { headers: {}, secrets: [], credentialId: null }

/**
 * Does something with a server over HTTP as whom its credential names; once more when the server does not take the
 * token and there is a new one. Throws `Unusable`, without secrets.
 */
export async function asCredential<T>(
  app: App,
  calling: Calling,
  work: (sent: Sent, clean: Clean) => Promise<T>,
): Promise<T> {
  const { server, scrubber } = calling
  const host = new URL(server.endpoint!)
  const attempt = async (sent: Sent, before: readonly string[] = []) => {
    const clean = scrubber([...before, ...sent.secrets])
    try {
      return await work(sent, clean)
    } catch (error) {
      const { message, ...rest } = unusable(error, host)
      throw new Unusable(clean(message), { ...rest, cause: error })
    }
  }
  const sent = await sentTo(app, calling)
  return attempt(sent).catch(async (error: Unusable) => {
    const next = error.status === 401 ? await replacing(app, calling, sent) : null
    if (!next) throw error
    return attempt(next, sent.secrets)
  })
}

async function sentTo(app: App, { server, binding, permit }: Calling): Promise<Sent> {
  const { credential_id: id, cred_type, cred_header } = credentialFor(app, server, binding)
  if (id === null) return none
  await permit?.(id)
  await renewEnding(app, id)
  const value = valueFor(app, server.workspace_id, id, server.endpoint!)
  if (value === null)
    throw new Unusable(`The credential of ${server.name} cannot be used: it is for another address, or has ended`)
  if (!/^[\x20-\x7e]+$/.test(value))
    throw new Unusable(`The credential of ${server.name} cannot be used: it has characters that no header may have`)
  const [header, text] = headerOf(cred_type, value)
  return { headers: { [cred_header ?? header]: text }, secrets: [value, text], credentialId: id }
}

/** What is sent in place of a token that was refused; null where there is nothing else. */
async function replacing(app: App, calling: Calling, refused: Sent): Promise<Sent | null> {
  if (refused.credentialId === null) return null
  // It may have been renewed since it was sent.
  const now = await sentTo(app, calling)
  if (now.credentialId !== refused.credentialId || now.secrets[0] !== refused.secrets[0]) return now
  return (await renew(app, refused.credentialId)) ? sentTo(app, calling) : null
}

function headerOf(type: string | null, value: string): [header: string, text: string] {
  if (type === 'api_key') return ['x-api-key', value]
  if (type === 'basic') return ['authorization', `Basic ${Buffer.from(value, 'utf8').toString('base64')}`]
  return ['authorization', `Bearer ${value}`]
}
