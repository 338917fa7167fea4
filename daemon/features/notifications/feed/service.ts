import type { Static } from 'typebox'
import type { Acting } from '#contract/entries'
import type { Notification, notifications } from '#contract/notifications'
import { type App, wholeSeconds } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { forgetDaily } from '#kernel/jobs/daily'
import { problem } from '#kernel/problem'
import { type NewRow, queries, type Row } from './queries.ts'

type Shown = Static<typeof Notification>

const day = 86_400_000
/** Days that a notification is kept. */
const keptDays = 180

const present = ({ actor_name, ...row }: Row): Shown => ({ ...row, ...(actor_name !== null && { actor_name }) })

export function list({ db }: App, { actor, query }: Call<typeof notifications.list>): Shown[] {
  const window = { user: actor.id, ...pageOf(query, { fallback: 50, max: 100 }) }
  const { list, seen, unread } = queries(db)
  const statement = query.read === undefined ? list : query.read === 'true' ? seen : unread
  return statement.all(window).map(present)
}

export const count = ({ db }: App, { actor }: Call<typeof notifications.count>) => ({
  unread: queries(db).count.get(actor.id)!,
})

/** One of another person and an absent one answer alike. */
const absent = () => problem('not_found', { field: 'notificationId', detail: 'You have no such notification' })

export function read({ db }: App, { actor, notificationId: id, now }: Call<typeof notifications.read>) {
  if (!queries(db).read.get({ user: actor.id, id, now })) throw absent()
  return { status: 'ok' as const }
}

export const readAll = ({ db }: App, { actor, now }: Call<typeof notifications.readAll>) => ({
  updated: queries(db).readAll.run({ user: actor.id, now }).changes,
})

export function remove({ db }: App, { actor, notificationId }: Call<typeof notifications.remove>): undefined {
  if (!queries(db).remove.get(actor.id, notificationId)) throw absent()
}

/** Who acted, as the feed names actors: where it is neither a person nor an agent, Muster itself. */
export const actorIn = ({ actor_type, actor_id }: Acting): Pick<NewRow, 'actor_type' | 'actor_id'> =>
  (actor_type === 'user' || actor_type === 'agent') && actor_id
    ? { actor_type, actor_id }
    : { actor_type: 'agent', actor_id: 'muster' }

/** Adds to somebody's feed; they hear of it once the change is committed. */
export function tell(app: App, row: Omit<NewRow, 'id' | 'created_at'>): string {
  const id = newId(app.clock())
  queries(app.db).insert.run({ ...row, id, created_at: app.now() })
  const { user_id, action, entity_type, entity_id, entity_title } = row
  const payload = { id, action, entity_type, entity_id, entity_title }
  app.broadcast({ channel: `user:${user_id}`, type: 'notification.created', payload })
  return id
}

/** Who leaves a workspace keeps nothing of what was told there. */
export const leave = ({ db }: App, { payload, about }: Happened<'workspace_member.deleted'>): void =>
  void queries(db).leave.run(about.workspace_id!, payload.metadata.user_id)

export const drop = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).drop.run(payload.entity_id)

export const forgetOld = (app: App) =>
  forgetDaily(
    app,
    'Old notifications',
    (most) => queries(app.db).forget.run(wholeSeconds(app.clock() - keptDays * day), most).changes,
  )
