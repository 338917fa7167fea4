import type { Implementation } from '@modelcontextprotocol/sdk/types.js'
import type { Reply } from '#contract/define'
import type { integrations } from '#contract/integrations'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { plainLine } from '#kernel/plain-line'
import { noteUse } from '../../credentials/delivery/service.ts'
import { findCrew } from '../../crews/service.ts'
import { credentialName } from '../bindings/service.ts'
import { asCredential } from '../connections/sending.ts'
import { credentialFor, ownCredential } from '../connections/service.ts'
import { findServer } from '../find.ts'
import type { ServerRow } from '../queries.ts'
import { readConfig } from '../server-config.ts'
import { type Called, Unusable, withServer } from '../sessions/service.ts'
import { tryProgram } from './trying.ts'

type Outcome = Reply<typeof integrations.test>

export const test = (app: App, { actor, integrationId }: Call<typeof integrations.test>): Promise<Outcome> =>
  tested(app, actor, findServer(app, actor.workspace, null, integrationId))

export function testInCrew(
  app: App,
  { actor, crewId, serverId }: Call<typeof integrations.testInCrew>,
): Promise<Outcome> {
  findCrew(app, actor.workspace, crewId)
  return tested(app, actor, findServer(app, actor.workspace, crewId, serverId))
}

const timeoutMs = 10_000
const maxBytes = 64 * 1024

/** Whether a server answers as one: run in a crew, or asked with the credential that its tools are read with. */
async function tested(app: App, actor: Actor, server: ServerRow): Promise<Outcome> {
  if (server.transport === 'stdio') return tryProgram(app, server, server.crew_id)
  const { binding } = ownCredential(app, server)
  const { credential_id } = credentialFor(app, server, binding)
  if (credential_id === null) return outcomeOf(app, server)
  const name = credentialName(app, actor, credential_id)
  const asked = `asked with ${name === null ? 'a credential' : `the credential ${name}`}`
  const scrubber = (secrets: readonly string[]) =>
    app.scrub({ workspace_id: server.workspace_id, agent_id: '' }, secrets)
  const { message, ...outcome } = await outcomeFor(server, (called) =>
    asCredential(app, { server, binding, scrubber }, async (sent, clean) => {
      if (sent.credentialId !== null) await noteUse(app, sent.credentialId, { integration_id: server.id })
      return clean(await greeting(app, { ...called, headers: { ...called.headers, ...sent.headers } }))
    }),
  )
  return {
    ...outcome,
    message: message === undefined ? `${asked.charAt(0).toUpperCase()}${asked.slice(1)}` : `${message}; ${asked}`,
  }
}

type Place = Pick<ServerRow, 'transport' | 'endpoint' | 'config_json'>

/** Whether a server answers as one, without any credential; of a command only the form is looked at. */
export async function outcomeOf(app: App, place: Place): Promise<Outcome> {
  if (place.transport === 'stdio')
    return { status: 'ok', message: 'The command has the right form. It is run where an agent uses it' }
  return outcomeFor(place, (called) => greeting(app, called))
}

async function outcomeFor(
  { endpoint, config_json }: Place,
  greet: (called: Called) => Promise<Implementation | undefined>,
): Promise<Outcome> {
  const headers = (config_json === null ? {} : readConfig('config_json', config_json)).headers ?? {}
  try {
    const told = await greet({ endpoint: endpoint!, headers, timeoutMs, maxBytes })
    const info = told && { name: plainLine(told.name), version: plainLine(told.version) }
    return { status: 'ok' as const, ...(info && { server_info: info }) }
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    return { status: error.authRequired ? 'auth_required' : 'error', message: error.message }
  }
}

const greeting = (app: App, called: Called): Promise<Implementation | undefined> =>
  withServer(app, called, async (client) => client.getServerVersion())
