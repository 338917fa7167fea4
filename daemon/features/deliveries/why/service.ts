import type { NotificationPriority } from '#contract/channels'
import type { Reply } from '#contract/define'
import type { deliveries } from '#contract/deliveries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { type ChannelRow, channelsFor, nameOf } from '../../channels/service.ts'
import { wishOf } from '../../channels/wishes/service.ts'
import { membershipOf } from '../../members/service.ts'
import { type EventRow, queries, type Row } from '../queries.ts'
import { refusalOf } from '../rules.ts'
import { messagePriority } from '../sends/service.ts'

type Why = Reply<typeof deliveries.why>

/** Why somebody was told of something through channels, or was not. */
export function why(app: App, { actor, query }: Call<typeof deliveries.why>): Why {
  const user = query.user_id ?? actor.id
  if (user !== actor.id && !allows('ADMIN', actor.role!))
    throw problem('insufficient_role', { field: 'user_id', detail: 'Only an ADMIN sees what others were told' })
  const isMember = membershipOf(app, actor.workspace, user) !== undefined
  const message = isMember && messageOf(app, actor, user, query.subject)
  if (message) return ofMessage(app, user, message)
  const event = isMember && eventOf(app, actor.workspace, user, query.subject)
  if (!event)
    throw problem('not_found', { field: 'subject', detail: 'Channels were not to tell of anything like that' })
  const decided = queries(app.db).ofEvent.all(event.id, user)
  const { audience_json, workspace_id, ...shown } = event
  const concerned = audience_json === null || (JSON.parse(audience_json) as string[]).includes(user)
  const open = channelsFor(app, workspace_id, user).filter(({ id }) => !decided.some((it) => it.channel_id === id))
  return {
    event: shown,
    user_id: user,
    concerned,
    channels: [
      ...decided.map((row) => told(app, user, row)),
      ...open.map((channel) => ({
        channel_id: channel.id,
        kind: nameOf(channel),
        outcome: 'off' as const,
        reason: notAsked(app, event, user, channel, concerned),
      })),
    ],
  }
}

/** A delivery, a notification, an entry, or the newest event about a thing. */
function eventOf({ db }: App, workspace: string, user: string, subject: string): EventRow | undefined {
  const { find, event, eventAbout, eventOfNotification } = queries(db)
  const delivery = find.get(workspace, subject)
  if (delivery) return delivery.user_id === user ? event.get(workspace, delivery.event_id) : undefined
  const notification = eventOfNotification.get(workspace, user, subject)
  if (notification) return notification.event_id ? event.get(workspace, notification.event_id) : undefined
  return event.get(workspace, subject) ?? eventAbout.get(workspace, subject)
}

/** A delivery that an agent made. One through a channel of the workspace is to nobody in particular, as in the log. */
function messageOf({ db }: App, { workspace, role }: Actor, user: string, subject: string): Row | undefined {
  const row = queries(db).find.get(workspace, subject)
  if (row?.source_kind !== 'message') return undefined
  const isShown = row.user_id === null ? allows('ADMIN', role!) : row.user_id === user
  return isShown ? row : undefined
}

/** What an agent sends goes through the one channel that it names, whatever people want there. */
function ofMessage(app: App, user: string, row: Row): Why {
  const { id, category, source_kind, source_id, title, created_at } = row
  const { reason, ...channel } = told(app, user, row)
  return {
    event: { id, category, priority: messagePriority, source_kind, source_id, title, created_at },
    user_id: user,
    concerned: true,
    channels: [{ ...channel, reason: `an agent sent it through this channel, which it was allowed; ${reason}` }],
  }
}

const words: Record<Row['status'], string> = {
  pending: 'it is to be sent',
  sent: 'it was sent',
  failed: 'it failed',
  dropped_pref: 'it was left',
  dropped_rate: 'it was held back',
}

function told(app: App, user: string, { id, channel_id, status, error, workspace_id }: Row): Why['channels'][number] {
  const channel = channelsFor(app, workspace_id, user).find((it) => it.id === channel_id)
  const reason = error ? `${words[status]}: ${error}` : words[status]
  return { channel_id, kind: channel ? nameOf(channel) : 'deleted', outcome: status, reason, delivery_id: id }
}

/** Why nothing was decided about a channel; as things are now, for they may have been otherwise then. */
function notAsked(app: App, event: EventRow, user: string, channel: ChannelRow, concerned: boolean): string {
  if (!concerned) return 'that person was not among those to be told'
  const { category } = event
  const { on, muted } = wishOf(app, event.workspace_id, user, channel.id, category)
  if (!on) return `${category} is off for this channel now`
  if (!channel.enabled) return 'the channel is paused now'
  const categories = JSON.parse(channel.categories_json) as string[]
  const priority = event.priority as NotificationPriority
  const refusal = refusalOf({ category, priority, categories, floor: channel.min_priority, muted })
  return refusal ? `${refusal} now` : 'it was off then, or that person did it themselves'
}
