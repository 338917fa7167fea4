import { setImmediate as turn } from 'node:timers/promises'
import { type Entry, fact, priorities } from '#contract/entries'
import type { journal } from '#contract/journal'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { render } from '#kernel/journal/chain'
import { problem } from '#kernel/problem'
import { tellGone } from './compaction/service.ts'
import { readCursor } from './cursor.ts'
import { type Query, readFilter, readLimit } from './filter.ts'
import { lookups, queries } from './queries.ts'
import { createJournalReads, type JournalReads } from './reads.ts'

export { anchorOf } from './anchor.ts'

export function list({ db }: App, reads: JournalReads, { actor, query }: Call<typeof journal.list>): Promise<string> {
  const filter = readFilter(query)
  const limit = readLimit(query.limit)
  const upTo = query.cursor ? (queries(db).before.get(readCursor(query.cursor)) ?? 0) : undefined
  return reads.page(actor.workspace, filter, { upTo }, limit)
}

interface Named {
  actor: { workspace: string }
  entryId: string
}

/** An entry of the workspace, as it is stored. */
export function show(app: App, { actor, entryId }: Named): string {
  const doc = queries(app.db).doc.get(entryId, app.index.names.find(0, actor.workspace) ?? 0)
  if (!doc) tellGone(app, actor.workspace, entryId)
  if (!doc) throw problem('not_found')
  return doc
}

/** An entry of the workspace for other features, unless it is gone. */
export function find({ db, index }: App, workspace: string, entryId: string): Entry | undefined {
  const doc = queries(db).doc.get(entryId, index.names.find(0, workspace) ?? 0)
  return doc === undefined ? undefined : (JSON.parse(doc) as Entry)
}

/** Sets the priority of an entry, the only member that may change. The ledger and a new entry record the change. */
export function setPriority(app: App, { actor, entryId, body, now }: Call<typeof journal.priority>) {
  const { db, index } = app
  const row = queries(db).find.get(entryId, index.names.find(0, actor.workspace) ?? 0)
  if (!row) throw problem('not_found')
  const entry = JSON.parse(row.doc) as Entry
  const previous = entry.priority
  const { priority, reason = '' } = body
  queries(db).mark.run(priorities.indexOf(priority), render({ ...entry, priority }, row.scheme).doc, row.seq)
  queries(db).record.run(row.seq, previous, priority, reason, actor.id, now)
  const change = {
    target_entry_id: entry.id,
    target_entry_type: entry.entry_type,
    previous_priority: previous,
    new_priority: priority,
    reason,
  }
  app.journal(
    fact('memory.priority_changed', change, {
      workspace_id: actor.workspace,
      ...actorOf(actor),
      crew_id: entry.crew_id,
      agent_id: entry.agent_id,
      mission_id: entry.mission_id,
      refs: { parent_entry_id: entry.id },
    }),
  )
  return { id: entry.id, priority, previous, reason }
}

/** Names for the ids in entries. Missions do not exist yet. */
export const lookUp = ({ db }: App, workspace: string) => ({
  crews: lookups(db).crews.all(workspace),
  agents: lookups(db).agents.all(workspace),
  missions: [],
})

const opened = new WeakMap<App, JournalReads>()

function readsOf(app: App): JournalReads {
  const reads = opened.get(app) ?? createJournalReads(app)
  opened.set(app, reads)
  return reads
}

/** The newest matches, at most 50, for other features. */
export async function recall(app: App, workspace: string, query: Query): Promise<Entry[]> {
  const page = await readsOf(app).page(workspace, readFilter(query), {}, 50)
  return (JSON.parse(page) as { entries: Entry[] }).entries
}

/** Yields all matches for other features, newest first, by page, so that other requests can run in between. */
export async function* walk(app: App, workspace: string, query: Query): AsyncGenerator<Entry[]> {
  const reads = readsOf(app)
  const filter = readFilter(query)
  for (let upTo: number | undefined; ; ) {
    const { entries, next_cursor } = JSON.parse(await reads.page(workspace, filter, { upTo }, 500)) as {
      entries: Entry[]
      next_cursor?: string
    }
    if (entries.length) yield entries
    if (!next_cursor) return
    upTo = queries(app.db).before.get(readCursor(next_cursor)) ?? 0
    await turn()
  }
}
