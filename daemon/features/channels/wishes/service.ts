import type { Reply } from '#contract/define'
import type { notificationPreferences } from '#contract/preferences'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { channelsFor } from '../service.ts'
import { queries, type Wanting } from './queries.ts'

export type { Wanting } from './queries.ts'

type Shown = Reply<typeof notificationPreferences.notifications>

export const list = ({ db }: App, { actor }: Call<typeof notificationPreferences.notifications>): Shown => ({
  cells: queries(db).list.all(actor.id, actor.workspace) as Shown['cells'],
})

export function set(app: App, { actor, body, now }: Call<typeof notificationPreferences.setNotifications>) {
  const { workspace, id: user } = actor
  const seen = new Set(channelsFor(app, workspace, user).map(({ id }) => id))
  for (const cell of body.cells) {
    if (!seen.has(cell.channel_id))
      throw problem('invalid_field', { field: 'cells', detail: 'channel_id must name a channel that reaches you' })
    queries(app.db).set.run({ ...cell, user, workspace, now })
  }
  return { ok: true as const }
}

interface Asked {
  workspace: string
  category: string
  audience: 'all' | readonly string[]
}

/** Who of an audience wants a category through which channel that is not paused. */
export function wanting({ db }: App, { audience, ...of }: Asked): Wanting[] {
  if (audience === 'all') return queries(db).wanting.all(of)
  return queries(db).wantingOf.all({ ...of, people: JSON.stringify([...new Set(audience)]) })
}

/** What somebody wants of a category through a channel, and whether they muted it. */
export function wishOf({ db }: App, workspace: string, user: string, channel: string, category: string) {
  const cells = queries(db)
    .list.all(user, workspace)
    .filter(({ channel_id }) => channel_id === channel)
  const isOn = (name: string) => cells.some((cell) => cell.category === name && cell.state === 'immediate')
  return { on: isOn(category), muted: isOn('*') }
}

export const leave = ({ db }: App, { payload, about }: Happened<'workspace_member.deleted'>): void =>
  void queries(db).leave.run(about.workspace_id!, payload.metadata.user_id)

export const drop = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).drop.run(payload.entity_id)
