import type { Reply } from '#contract/define'
import type { integrations } from '#contract/integrations'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { plainLine } from '#kernel/plain-line'
import { findCrew } from '../../crews/service.ts'
import { findServer } from '../find.ts'
import type { ServerRow } from '../queries.ts'
import { readConfig } from '../server-config.ts'
import { Unusable, withServer } from '../sessions/service.ts'
import { tryProgram } from './trying.ts'

type Outcome = Reply<typeof integrations.test>

export const test = (app: App, { actor, integrationId }: Call<typeof integrations.test>): Promise<Outcome> =>
  tested(app, findServer(app, actor.workspace, null, integrationId))

export function testInCrew(
  app: App,
  { actor, crewId, serverId }: Call<typeof integrations.testInCrew>,
): Promise<Outcome> {
  findCrew(app, actor.workspace, crewId)
  return tested(app, findServer(app, actor.workspace, crewId, serverId))
}

const tested = (app: App, server: ServerRow): Promise<Outcome> =>
  server.transport === 'stdio' ? tryProgram(app, server, server.crew_id) : outcomeOf(app, server)

const timeoutMs = 10_000
const maxBytes = 64 * 1024

/** Whether a server that may not be stored yet answers as one, without any credential; programs are not run. */
export async function outcomeOf(
  app: App,
  { transport, endpoint, config_json }: Pick<ServerRow, 'transport' | 'endpoint' | 'config_json'>,
): Promise<Outcome> {
  if (transport === 'stdio')
    return { status: 'ok', message: 'The command has the right form. It is run where an agent uses it' }
  const headers = (config_json === null ? {} : readConfig('config_json', config_json)).headers ?? {}
  try {
    return await withServer(app, { endpoint: endpoint!, headers, timeoutMs, maxBytes }, async (client) => {
      const told = client.getServerVersion()
      const info = told && { name: plainLine(told.name), version: plainLine(told.version) }
      return { status: 'ok' as const, ...(info && { server_info: info }) }
    })
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    return { status: error.authRequired ? 'auth_required' : 'error', message: error.message }
  }
}
