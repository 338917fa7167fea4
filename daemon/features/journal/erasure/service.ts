import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { journal } from '#contract/journal'
import type { Erasure } from '#contract/journal-erasure'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { type ErasureRow, queries } from './queries.ts'

/** Begins to erase what the journal says of a person; it then goes on by itself. */
export function erase(app: App, { actor, body, now }: Call<typeof journal.erase>): Static<typeof Erasure> {
  const { user_id } = body
  const reason = body.reason.trim()
  if (!reason) throw problem('invalid_field', { field: 'reason', detail: 'Say why: the reason stays on record' })
  if (!isKnown(app, actor.workspace, user_id)) throw problem('not_found', { field: 'user_id' })
  // Or whoever has done something wrong could blank what the journal says of it.
  if (user_id === actor.id) throw problem('own_erasure', { field: 'user_id' })
  return beginErasure(app, actor, { user_id, reason, now })
}

/** Begins an erasure, within a change. Who asks for it and for whom was checked. */
export function beginErasure(
  app: App,
  actor: Actor,
  { user_id, reason, now }: { user_id: string; reason: string; now: string },
): Static<typeof Erasure> {
  const workspace_id = actor.workspace
  const id = newId(app.clock())
  const upto = app.index.head()
  const told = { erasure_id: id, user_id, reason }
  const about = { workspace_id, ...actorOf(actor), priority: 'permanent' } as const
  app.journal(fact('journal.erasure_asked', told, about))
  const ws = app.index.names.find(0, workspace_id)!
  const row = queries(app.db).insert.get({
    id,
    ws,
    workspace_id,
    user_id,
    reason,
    asked_by: actor.id,
    upto,
    begun_at: now,
  })
  if (!row) throw problem('erasure_running', { field: 'user_id' })
  app.afterCommit(() => app.bus.emit('erase', id))
  return toErasure(row)
}

/** A member of the workspace, or somebody who once did something there. */
export function isKnown({ db, index }: App, workspace: string, user: string): boolean {
  if (queries(db).member.get(workspace, user)) return true
  const ws = index.names.find(0, workspace)
  const actor = ws === undefined ? undefined : index.names.find(ws, user)
  return (
    actor !== undefined &&
    queries(db).acted.get(actor, ws!) !== undefined &&
    queries(db).subject.get(user) !== undefined
  )
}

export function list({ db }: App, { actor, query }: Call<typeof journal.erasures>): Static<typeof Erasure>[] {
  const { limit, offset } = pageOf(query, { fallback: 100 })
  return queries(db).list.all(actor.workspace, limit, offset).map(toErasure)
}

const toErasure = ({ ws: _ws, workspace_id: _workspace, upto, seq, ...row }: ErasureRow): Static<typeof Erasure> => ({
  ...row,
  status: row.ended_at ? 'done' : 'running',
  looked_through: row.ended_at || upto === 0 ? 1 : Math.floor((seq / upto) * 100) / 100,
})

/** Blanks these entries, and notes how far the erasure is; within a change. */
export function blank(app: App, { id }: ErasureRow, seqs: readonly number[], reached: number): void {
  const { db, eraser, log } = app
  const rows = queries(db).rows.all(JSON.stringify(seqs))
  const { sound, altered } = eraser.examine(rows, (seq) => queries(db).first.get(seq))
  if (altered.length)
    log.error({ seqs: altered.slice(0, 10) }, 'Entries of the journal are not those that were written, and stay')
  // Under scheme 1 the chain needs the summary.
  const erasable = sound.filter(({ scheme, parts }) => scheme !== 1 || parts.payload !== '')
  eraser.blank(erasable)
  const kept = sound.filter(({ scheme }) => scheme === 1).length
  queries(db).advance.get({ id, seq: reached, entries: erasable.length, kept })
}

/** Ends an erasure with the entry that tells of it. */
export function finish(app: App, { id, upto }: ErasureRow): void {
  const row = queries(app.db).advance.get({ id, seq: upto, entries: 0, kept: 0 })!
  const { workspace_id, user_id, entries, summaries_kept } = row
  queries(app.db).end.run(app.now(), id)
  const told = { erasure_id: id, user_id, entries, summaries_kept }
  app.journal(fact('journal.erased', told, { workspace_id, actor_type: 'system', priority: 'permanent' }))
}
