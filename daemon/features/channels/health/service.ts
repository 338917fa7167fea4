import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { bySystem } from '#kernel/journal/about-user'
import { type ChannelRow, nameOf } from '../service.ts'
import { queries } from './queries.ts'

/** How long a channel may fail before it is paused. */
const patienceMs = 3_600_000

export const noteWorks = ({ db }: App, { id }: ChannelRow): void => void queries(db).works.run(id)

/** Pauses a channel that has failed for an hour, which is recorded once. */
export function noteFails(app: App, channel: ChannelRow, reason: string): void {
  const { id, workspace_id, owner_user_id, created_by } = channel
  const { fails, pause } = queries(app.db)
  const since = fails.get({ id, at: app.clock() })?.failing_since
  if (since == null || app.clock() - since < patienceMs || !pause.get({ id, now: app.now() })) return
  const metadata = { reason, owner: owner_user_id ?? created_by }
  const payload = { entity_id: id, name: nameOf(channel), metadata }
  app.journal(fact('notification_channel.paused', payload, { workspace_id, ...bySystem }))
}
