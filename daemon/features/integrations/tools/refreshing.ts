import type { Reply } from '#contract/define'
import type { integrationTools } from '#contract/integration-tools'
import type { App } from '#kernel/app'
import { type Actor, type Call, staged } from '#kernel/feature'
import { type Problem, problem } from '#kernel/problem'
import { findCrew } from '../../crews/service.ts'
import { findServer, stillThat } from '../find.ts'
import type { ServerRow } from '../queries.ts'
import { Unusable } from '../sessions/service.ts'
import type { Told } from './definition.ts'
import { expectTools } from './expecting.ts'
import { listedBy } from './fetching.ts'
import { learn, noteFailure } from './learning.ts'

type OfWorkspace = typeof integrationTools.refreshTools
type InCrew = typeof integrationTools.refreshToolsInCrew
type Refreshed = Reply<OfWorkspace>
type Wished = Call<OfWorkspace>['body']

/** What a server was asked for: its list, or why it gave none. */
export interface Heard {
  /** The server as it was then. */
  server: ServerRow
  tools: Told[]
  complete: boolean
  failure: string | null
}

export const refreshTools = (app: App) =>
  staged<OfWorkspace, Heard | null>(
    ({ actor, integrationId, body }) => heard(app, findServer(app, actor.workspace, null, integrationId), body),
    (call, ready) => store(app, findServer(app, call.actor.workspace, null, call.integrationId), call, ready),
  )

export const refreshToolsInCrew = (app: App) =>
  staged<InCrew, Heard | null>(
    ({ actor, crewId, serverId, body }) => {
      findCrew(app, actor.workspace, crewId)
      return heard(app, findServer(app, actor.workspace, crewId, serverId), body)
    },
    (call, ready) => store(app, findServer(app, call.actor.workspace, call.crewId, call.serverId), call, ready),
  )

/** Null where the caller names the tools. */
async function heard(app: App, server: ServerRow, body: Wished): Promise<Heard | null> {
  if (body?.tools) return null
  if (server.transport === 'stdio')
    throw problem('tools_elsewhere', { detail: 'Its program runs in the crews that use it: an agent reads its tools' })
  return await hear(app, server)
}

/** Asks a server over HTTP for its tools; never throws for what the server does. */
export async function hear(app: App, server: ServerRow): Promise<Heard> {
  try {
    return { server, ...(await listedBy(app, server)), failure: null }
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    return { server, tools: [], complete: false, failure: error.message }
  }
}

interface Refreshing {
  actor: Actor
  body?: Wished
  now: string
}

function store(app: App, server: ServerRow, call: Refreshing, ready: Heard | null): Refreshed | Problem {
  const { actor, body, now } = call
  if (!ready) return expectTools(app, server, body!.tools!, { actor, now })
  const learned = take(app, ready, { actor, now })
  if (learned === null)
    return problem('integration_changed', { detail: 'Its address was changed meanwhile: try again' })
  return learned
}

/** Stores what a server said, within a change; null when the server is another one by now. */
export function take(
  app: App,
  { server, tools, complete, failure }: Heard,
  { actor, now }: { actor: Actor | null; now: string },
): Refreshed | Problem | null {
  const current = stillThat(app, server)
  if (!current) return null
  if (failure === null) return learn(app, current, { tools, complete, actor, now })
  noteFailure(app, server.id, failure, now)
  return problem('tools_unreadable', { detail: failure })
}
