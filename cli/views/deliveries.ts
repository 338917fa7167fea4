import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { deliveries, Delivery as Schema } from '#contract/deliveries'
import type { notificationHours, notificationPreferences } from '#contract/preferences'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Delivery = Static<typeof Schema>

const tones = { pending: 'cyan', sent: 'green', failed: 'red', dropped_pref: 'dim', dropped_rate: 'yellow' } as const
const status = ({ status: value }: Delivery) => ({
  text: value?.replace('_pref', '').replace('_rate', ' (too many)') ?? '',
  value,
  ...(tones[value] && { tone: tones[value] }),
})

export const deliveryView: View<Delivery> = {
  name: ({ id }) => id,
  empty: 'Nothing was to go through a channel yet.',
  columns: {
    ID: ({ id }) => id,
    CATEGORY: ({ category }) => category,
    TITLE: ({ title }) => title,
    STATUS: status,
    ATTEMPTS: ({ attempts }) => attempts,
    WHY: ({ error }) => error,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    CHANNEL: ({ channel_id }) => channel_id,
    USER: ({ user_id }) => user_id,
    ABOUT: ({ source_kind, source_id }) => `${source_kind} ${source_id}`,
  },
}

type Why = Reply<typeof deliveries.why>

export const whyView: View<Why> = {
  name: ({ event }) => event?.id,
  columns: {
    EVENT: ({ event }) => event?.id,
    CATEGORY: ({ event }) => event?.category,
    CONCERNED: ({ concerned }) => concerned,
  },
  detail: {
    Event: ({ event }) => event?.title,
    Category: ({ event }) => event?.category,
    Priority: ({ event }) => event?.priority,
    Concerned: ({ concerned }) => concerned,
  },
  below: ({ channels }) =>
    channels?.length
      ? channels
          .map(({ kind, channel_id, outcome, reason }) => `- ${kind} (${channel_id}): ${outcome}, ${reason}`)
          .join('\n')
      : 'There is no channel that reaches that person.',
}

type Cell = Reply<typeof notificationPreferences.notifications>['cells'][number]

export const cellView: View<Cell> = {
  name: ({ category, channel_id }) => `${channel_id} ${category}`,
  empty: 'Everything is off. Next: muster preferences set-notifications --channel CHANNEL --on agents.approval',
  columns: {
    NAME: ({ category }) => (category === '*' ? { text: '* (muted)', value: category } : category),
    CHANNEL: ({ channel_id }) => channel_id,
    STATE: ({ state }) => state && { text: state === 'immediate' ? 'on' : 'off', value: state },
  },
}

export const hoursView: View<Reply<typeof notificationHours.hours>> = {
  name: ({ time_zone }) => time_zone,
  columns: {
    NAME: ({ time_zone }) => time_zone,
    QUIET: ({ quiet_from, quiet_until }) => (quiet_from ? `${quiet_from} to ${quiet_until}` : 'never'),
    DIGEST: ({ digest_at }) => digest_at ?? 'none',
    URGENT: ({ urgent_waits }) => ({ text: urgent_waits ? 'waits too' : 'comes at once', value: String(urgent_waits) }),
  },
}
