import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import type { ServerRow } from '../queries.ts'
import { unread } from './asking.ts'
import { type Learned, recordLearned } from './learning.ts'
import { queries, type ToolRow } from './queries.ts'
import { blankTool } from './rules.ts'

interface Expected {
  name: string
  description?: string | null
}

const isExpected = ({ approved_json, told_json }: ToolRow): boolean => approved_json === null && told_json === null

/**
 * Keeps the tools that people expect of a server, within a change: switched off ahead, or described. Nothing of what
 * the server said is changed by it, and what it has yet to list cannot be called.
 */
export function expectTools(
  app: App,
  server: ServerRow,
  tools: readonly Expected[],
  { actor, now }: { actor: Actor; now: string },
): Learned {
  const { ofServer, save, drop, list, saveList } = queries(app.db)
  const known = new Map(ofServer.all(server.id).map((row) => [row.name, row]))
  const named = new Map(tools.map((tool) => [tool.name, tool]))
  const rows = [...named.values()].map(({ name, description }) => {
    const row = known.get(name) ?? blankTool(server.id, name, now, newId(app.clock()))
    return { ...row, note: description === undefined ? row.note : blankToNull(description) }
  })
  const created = rows.filter(({ name }) => !known.has(name))
  const updated = rows.filter(({ name, note }) => known.has(name) && known.get(name)!.note !== note)
  const removed = [...known.values()].filter((row) => isExpected(row) && !named.has(row.name))
  for (const row of created) save.run(row)
  for (const row of updated) save.run({ ...row, updated_at: now })
  for (const { id } of removed) drop.run(id)
  saveList.run(list.get(server.id) ?? unread(server.id))
  const counts = {
    created: created.length,
    updated: updated.length,
    removed: removed.length,
    held: 0,
    left_out: 0,
  }
  if (created.length + updated.length + removed.length) recordLearned(app, server, actor, counts)
  return { ...counts, total: known.size + created.length - removed.length }
}
