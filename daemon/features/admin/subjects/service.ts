import type { Static } from 'typebox'
import type { admin } from '#contract/admin'
import type { Purged, SubjectData } from '#contract/data-subjects'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { beginErasure, isKnown } from '../../journal/erasure/service.ts'
import { endMembership } from '../../members/roster/service.ts'
import { membershipOf, standing } from '../../members/service.ts'
import { slugOf } from '../../persona/peers/service.ts'
import { find as findUser } from '../../users/service.ts'
import { createFailures } from './failures.ts'
import { eraseRows } from './purge.ts'
import { queries, type Told } from './queries.ts'

/** Members, whoever acted in the workspace, and whoever was exported or erased before; nobody else. */
function checkKnown(app: App, { workspace }: Actor, user: string): void {
  const known = isKnown(app, workspace, user) || queries(app.db).before.get(workspace, user)
  if (!known) throw problem('not_found', { field: 'userId', detail: 'The workspace knows no such person' })
}

/** What tells of an erasure is never erased. */
const aboutOf = (actor: Actor) => ({ workspace_id: actor.workspace, ...actorOf(actor), priority: 'permanent' }) as const

/** Records that somebody's data is handed out, before it is. */
export function recordExport(app: App, { actor, userId, now }: Call<typeof admin.exportData>): string {
  standing(app, actor, 'ADMIN')
  checkKnown(app, actor, userId)
  const id = newId(app.clock())
  queries(app.db).exported.run({ id, workspace: actor.workspace, subject: userId, actor: actor.id, now })
  const metadata = { data_subject_id: userId, action: 'export' } as const
  app.journal(fact('gdpr_action.exported', { entity_id: id, metadata }, aboutOf(actor)))
  return id
}

export async function exportData(
  app: App,
  { actor: { workspace }, userId, now }: Call<typeof admin.exportData>,
  action_id: string,
): Promise<Static<typeof SubjectData>> {
  const text = await app.reads.run('scan', 'subjectData', { user: userId, workspace })
  const { peer_cards, ...told } = JSON.parse(text) as Told
  const user_slug = slugOf(userId, workspace)
  return {
    data_subject_id: userId,
    workspace_id: workspace,
    exported_at: now,
    action_id,
    ...told,
    peer_cards: peer_cards.map(({ agent_slug, ...card }) => ({
      ...card,
      user_slug,
      path: `agent:${agent_slug}/peers/${user_slug}.md`,
    })),
  } as Static<typeof SubjectData>
}

/** Records that an erasure begins. */
export function beginPurge(app: App, { actor, userId, body, now }: Call<typeof admin.purgeData>): string {
  standing(app, actor, 'ADMIN')
  const reason = body.reason.trim()
  if (!reason) throw problem('invalid_field', { field: 'reason', detail: 'Say why: the reason stays on record' })
  checkKnown(app, actor, userId)
  // Or whoever has done something wrong could have erased what is known of it.
  if (userId === actor.id) throw problem('own_erasure', { field: 'userId' })
  if (membershipOf(app, actor.workspace, userId)?.role === 'OWNER')
    throw problem('owner_remains', { field: 'userId', detail: 'This is an OWNER, who hands the ownership over first' })
  const id = newId(app.clock())
  const begun = { id, workspace: actor.workspace, subject: userId, actor: actor.id, reason, now }
  if (!queries(app.db).begin.get(begun)) throw problem('erasure_running', { field: 'userId' })
  const metadata = { data_subject_id: userId, action: 'delete', reason } as const
  app.journal(fact('gdpr_action.begun', { entity_id: id, metadata }, aboutOf(actor)))
  return id
}

/**
 * Erases a person from a workspace, step by step. What fails is told and the rest goes on; after a crash, another
 * erasure does what is left.
 */
export async function purge(
  app: App,
  { actor, userId, body, now }: Call<typeof admin.purgeData>,
  action_id: string,
): Promise<Static<typeof Purged>> {
  const { workspace } = actor
  const { email, full_name } = findUser(app, userId)
  const kept = Number(await app.reads.run('scan', 'subjectBlobs', { user: userId, workspace }))
  const failed = createFailures(app)
  const subject = {
    user: userId,
    email,
    full_name: full_name && /\S\s+\S/.test(full_name.trim()) ? full_name.trim() : '',
    workspace,
    nobody: newId(app.clock()),
  }
  const rows = await eraseRows(app, subject, failed, () => leave(app, actor, userId))
  const reason = body.reason.trim()
  const erasure = await failed.unless('journal', () =>
    app.write(() => beginErasure(app, actor, { user_id: userId, reason, now })),
  )
  const { deleted, unnamed, left } = rows
  const error = failed.first()
  const [rows_deleted, rows_unnamed] = [total(deleted), total(unnamed)]
  await app.write(() => {
    const status = error === undefined ? 'done' : 'partial'
    const scope = JSON.stringify({ deleted, unnamed })
    queries(app.db).end.run({ id: action_id, status, scope, error: error ?? null, now: app.now() })
    const told = { data_subject_id: userId, status, rows_deleted, rows_unnamed, ...(error && { error }) } as const
    app.journal(fact('gdpr_action.ended', { entity_id: action_id, metadata: told }, aboutOf(actor)))
    if (deleted['inbox_items'])
      app.broadcast({ channel: `workspace:${workspace}`, type: 'inbox.updated', payload: { purge: 'true' } })
  })
  return {
    action_id,
    data_subject: userId,
    workspace_id: workspace,
    rows_deleted,
    scope: deleted,
    rows_unnamed,
    unnamed,
    membership_ended: left,
    journal_erasure: erasure ? { id: erasure.id, status: erasure.status } : null,
    memory_blobs: { kept },
    ...(error !== undefined && { error }),
  }
}

const total = (counts: Record<string, number>): number => Object.values(counts).reduce((all, count) => all + count, 0)

/** Ends the membership as if the person had been removed; false when there is none. */
function leave(app: App, actor: Actor, user: string): boolean {
  const membership = membershipOf(app, actor.workspace, user)
  if (membership) endMembership(app, actor, membership)
  return membership !== undefined
}

/** Ends what was under way when the daemon ended: another erasure may begin. */
export function endLeft(app: App): { close(): void } {
  app
    .write(() => queries(app.db).endLeft.run(app.now()))
    .catch((error: Error) =>
      app.log.error({ err: error }, 'Erasures of persons that were interrupted could not be ended'),
    )
  return { close: () => undefined }
}
