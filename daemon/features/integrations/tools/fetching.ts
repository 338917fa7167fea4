import type { App } from '#kernel/app'
import { singleFlight } from '#kernel/jobs/single-flight'
import { noteUse } from '../../credentials/delivery/service.ts'
import { asCredential } from '../connections/sending.ts'
import { credentialFor, ownCredential } from '../connections/service.ts'
import type { ServerRow } from '../queries.ts'
import { readConfig } from '../server-config.ts'
import { withServer } from '../sessions/service.ts'
import type { Told } from './definition.ts'
import { readTools } from './reading.ts'

/** For the whole list. */
const timeoutMs = 30_000
/** Of each answer. */
const maxBytes = 4 * 1024 * 1024

const underWay = new WeakMap<App, Map<string, Promise<Listing>>>()

/** What a server lists to Muster. */
export interface Listing {
  tools: Told[]
  /** Whether agents are listed no others: none uses the server with another credential. */
  complete: boolean
}

/**
 * The tools that a server over HTTP lists now, asked with the credential that it is used with, if any. Asked for while
 * it is under way, it is asked once. Throws `Unusable`, without secrets.
 */
export function listedBy(app: App, server: ServerRow): Promise<Listing> {
  const all = underWay.get(app) ?? new Map<string, Promise<Listing>>()
  underWay.set(app, all)
  // Another address or credential is another question.
  const { credential_id } = credentialFor(app, server, ownCredential(app, server).binding)
  const key = `${server.id} ${credential_id} ${server.endpoint} ${server.config_json}`
  return singleFlight(all, key, () => ask(app, server))
}

async function ask(app: App, server: ServerRow): Promise<Listing> {
  const { id, workspace_id, endpoint, config_json } = server
  const { headers = {} } = config_json === null ? {} : readConfig('config_json', config_json)
  const { host } = new URL(endpoint!)
  const { binding, sole } = ownCredential(app, server)
  const scrubber = (secrets: readonly string[]) => app.scrub({ workspace_id, agent_id: '' }, secrets)
  const tools = await asCredential(app, { server, binding, scrubber }, (sent, clean) => {
    const called = { endpoint: endpoint!, headers: { ...headers, ...sent.headers }, timeoutMs, maxBytes }
    return withServer(app, called, async (client) => {
      if (sent.credentialId !== null) await noteUse(app, sent.credentialId, { integration_id: id })
      return clean(await readTools(client, host, timeoutMs))
    })
  })
  return { tools, complete: sole }
}
