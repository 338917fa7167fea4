import type { App } from '#kernel/app'
import { queries, type Unindexed } from './queries.ts'
import { searchable } from './text.ts'

type Text = Pick<Unindexed, 'id' | 'chat_id' | 'content' | 'tool_summary'>

/** Makes a new message findable, within the change that stores it. */
export function indexMessage({ db }: Pick<App, 'db'>, message: Text): void {
  const chat = queries(db).chat.get(message.chat_id)!
  const { number } = queries(db).number.get(message.id, chat.agent_id)!
  addWords({ db }, number, message, chat)
}

function addWords({ db }: Pick<App, 'db'>, number: number, { content, tool_summary }: Text, chat: Place): void {
  const tools = tool_summary === null ? null : searchable(tool_summary)
  queries(db).words.run(number, searchable(content), tools, `${chat.workspace_id} ${chat.agent_id}`)
}

type Place = { agent_id: string; workspace_id: string }

/** Indexes some messages that are older than the index, newest first; false when none is left. */
export function indexOlder({ db }: Pick<App, 'db'>, limit: number): boolean {
  const { upto } = queries(db).backlog.get()!
  const rows = upto > 0 ? queries(db).unindexed.all(upto, limit) : []
  const missing = rows.filter(({ id }) => !queries(db).numberOf.get(id))
  const first = queries(db).lowest.get()!.number - missing.length
  // Inserting in ascending order is far faster.
  missing.reverse().forEach((row, at) => {
    const chat = queries(db).chat.get(row.chat_id)!
    queries(db).numberOlder.run(first + at, row.id, chat.agent_id)
    addWords({ db }, first + at, row, chat)
  })
  const left = rows.length === limit
  if (upto > 0) queries(db).setBacklog.run(left ? rows.at(-1)!.rowid - 1 : 0)
  return left
}

/** Whether messages are left that no search finds yet. */
export const isBehind = ({ db }: Pick<App, 'db'>): boolean => queries(db).backlog.get()!.upto > 0
