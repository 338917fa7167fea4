import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { newId } from '#kernel/ids'
import type { ServerRow } from '../queries.ts'
import { askAbout, unread } from './asking.ts'
import { type Listed, readTool, type Told } from './definition.ts'
import { queries, type ToolRow } from './queries.ts'
import { type Plan, planOf } from './rules.ts'

export interface Learned {
  created: number
  updated: number
  removed: number
  held: number
  left_out: number
  total: number
}

interface Given {
  tools: readonly Told[]
  /** Whether this is the whole list, so that what is not in it is gone. */
  complete: boolean
  /** Who asked for it; null for Muster itself. */
  actor: Actor | null
  now: string
}

/**
 * Brings the tools of a server to what it lists, within a change. The first list is taken as it is; what changes or
 * appears later waits for people, as does what is suspect at any time. docs/integrations.md, "Tools".
 */
export function learn(app: App, server: ServerRow, { tools, complete, actor, now }: Given): Learned {
  const { ofServer, list: listOf, save, drop, saveList } = queries(app.db)
  const list = listOf.get(server.id) ?? unread(server.id)
  const usable = usableOf(tools)
  const known = ofServer.all(server.id)
  const first = list.listed_at === null
  const plan = planOf(known, usable, { server: server.id, first, complete, now, newId: () => newId(app.clock()) })
  for (const row of [...plan.created, ...plan.updated]) save.run(row)
  for (const { id } of plan.removed) drop.run(id)
  const told = new Set(known.map(({ name }) => name))
  const kept = plan.created.length + usable.filter(({ name }) => told.has(name)).length
  const left_out = tools.length - kept
  saveList.run({ ...list, tried_at: now, listed_at: now, failure: null, left_out })
  const counts = { ...countsOf(plan), left_out }
  if (plan.created.length + plan.updated.length + plan.removed.length) {
    recordLearned(app, server, actor, counts)
    if (plan.held.length) tellHeld(app, server, plan.held)
    if (touchesWaiting(plan, known)) askAbout(app, server, now)
  }
  return { ...counts, total: known.length + plan.created.length - plan.removed.length }
}

/** The tools that can be used; of several with one name the first. */
function usableOf(tools: readonly Told[]): Listed[] {
  const byName = new Map<string, Listed>()
  for (const tool of tools.map(readTool)) if (tool && !byName.has(tool.name)) byName.set(tool.name, tool)
  return [...byName.values()]
}

const countsOf = ({ created, updated, removed, held }: Plan) => ({
  created: created.length,
  updated: updated.length,
  removed: removed.length,
  held: held.length,
})

/** Whether other tools wait than before, or otherwise. */
function touchesWaiting({ updated, removed, held }: Plan, known: readonly ToolRow[]): boolean {
  const waited = new Set(known.filter(({ held_since }) => held_since !== null).map(({ id }) => id))
  return held.length > 0 || [...updated, ...removed].some(({ id }) => waited.has(id))
}

const mostNamed = 20

/** Records what became of the tools of a server. */
export function recordLearned(app: App, server: ServerRow, actor: Actor | null, metadata: Omit<Learned, 'total'>) {
  const { id, name } = server
  app.journal(
    fact('integration_tools.updated', { entity_id: id, name, metadata }, { ...aboutOf(server), ...actorOf(actor) }),
  )
}

const aboutOf = ({ workspace_id, crew_id }: ServerRow) => ({ workspace_id, ...(crew_id !== null && { crew_id }) })

function tellHeld(app: App, server: ServerRow, held: readonly ToolRow[]): void {
  const { id, name, workspace_id, crew_id } = server
  const scope = crew_id === null ? 'workspace' : 'crew'
  const tools = held.slice(0, mostNamed).map((tool) => ({ name: tool.name, reason: tool.held_for! }))
  const said = { server_id: id, name, scope, tools, count: held.length } as const
  app.journal(fact('integration.tool_changed', said, { ...aboutOf(server), ...actorOf(null) }))
  app.broadcast({
    channel: `workspace:${workspace_id}`,
    type: 'integration.tool_changed',
    payload: {
      id,
      name,
      scope,
      ...(crew_id !== null && { crew_id }),
      tools: tools.map((tool) => tool.name),
      count: held.length,
    },
  })
}

/** Keeps why a server gave no list; what was known stays. */
export function noteFailure({ db }: App, server: string, failure: string, now: string): void {
  const { list, saveList } = queries(db)
  saveList.run({ ...(list.get(server) ?? unread(server)), tried_at: now, failure })
}

/** Forgets the tools of a server that is another one now, and withdraws what people are asked about them. */
export function forgetTools(app: App, server: ServerRow, now: string): void {
  const { dropAll, dropList } = queries(app.db)
  dropAll.run(server.id)
  askAbout(app, server, now)
  dropList.run(server.id)
}
