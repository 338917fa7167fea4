import type { Static } from 'typebox'
import type { Notification as Schema } from '#contract/notifications'
import type { NotificationTemplate } from '#contract/templates'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Notification = Static<typeof Schema>

/** What was done, as what follows somebody's name. */
const deeds: Readonly<Record<string, string>> = {
  assigned: 'gave you',
  commented: 'commented on',
  mentioned: 'mentioned you in',
  added: 'added you to',
  role_changed: 'changed your role in',
  joined: 'accepted your invitation to',
  approval_requested: 'asks for approval of',
  escalated: 'asks',
  asked: 'asks',
  failed: 'failed',
  paused: 'paused your channel',
  expires: 'tells that it expires soon:',
}

/** A newer server may tell of other things. */
export const deedOf = (action: string): string => deeds[action] ?? action.replaceAll('_', ' ')

export const notificationView: View<Notification> = {
  name: ({ id }) => id,
  empty: 'You were told of nothing yet.',
  columns: {
    ID: ({ id }) => id,
    WHO: ({ actor_name, actor_id }) => actor_name ?? (actor_id === 'muster' ? 'Muster' : null),
    DID: ({ action }) => action && { text: deedOf(action), value: action },
    WHAT: ({ entity_title, entity_type }) => entity_title ?? entity_type,
    READ: ({ read_at }) =>
      read_at ? { text: 'read', value: read_at, tone: 'dim' } : { text: 'unread', value: null, tone: 'cyan' },
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    KIND: ({ entity_type }) => entity_type,
    OF: ({ entity_id }) => entity_id,
  },
}

export const templateView: View<Static<typeof NotificationTemplate>> = {
  name: ({ category }) => category,
  empty: 'Everything is told in its usual words.',
  columns: {
    NAME: ({ category }) => category,
    CHANNEL: ({ channel_id }) => channel_id ?? { text: 'every', value: null },
    TITLE: ({ title }) => title,
    TEXT: ({ body }) => body,
  },
}
