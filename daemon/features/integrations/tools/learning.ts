import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import type { ServerRow } from '../queries.ts'
import { type Listed, readTool, type Told } from './definition.ts'
import { type ListRow, queries } from './queries.ts'
import { type Plan, planOf } from './rules.ts'

interface Learned {
  created: number
  updated: number
  removed: number
  held: number
  total: number
  left_out: number
}

interface Given {
  tools: readonly Told[]
  /** Whether this is the whole list, so that what is not in it is gone. */
  complete: boolean
  now: string
}

export const unread = (server: string): ListRow => ({
  server_id: server,
  tried_at: null,
  listed_at: null,
  failure: null,
  left_out: 0,
  decision_id: null,
})

/**
 * Brings the tools of a server to what it lists, within a change. The first list is taken as it is; what changes or
 * appears later waits for people, as does what is suspect at any time.
 */
export function learn(app: App, server: ServerRow, { tools, complete, now }: Given): Learned {
  const { ofServer, list: listOf, save, drop, saveList } = queries(app.db)
  const list = listOf.get(server.id) ?? unread(server.id)
  const usable = usableOf(tools)
  const left_out = tools.length - usable.length
  const known = ofServer.all(server.id)
  const first = list.listed_at === null
  const plan = planOf(known, usable, { server: server.id, first, complete, now, newId: () => newId(app.clock()) })
  for (const row of [...plan.created, ...plan.updated]) save.run(row)
  for (const { id } of plan.removed) drop.run(id)
  saveList.run({ ...list, tried_at: now, listed_at: now, failure: null, left_out })
  return { ...counts(plan), total: known.length + plan.created.length - plan.removed.length, left_out }
}

/** The tools that can be used; of several with one name the first. */
function usableOf(tools: readonly Told[]): Listed[] {
  const byName = new Map<string, Listed>()
  for (const tool of tools.map(readTool)) if (tool && !byName.has(tool.name)) byName.set(tool.name, tool)
  return [...byName.values()]
}

const counts = ({ created, updated, removed, held }: Plan) => ({
  created: created.length,
  updated: updated.length,
  removed: removed.length,
  held: held.length,
})
