import { Type } from 'typebox'
import { notificationCategories } from './channels.ts'
import { del, get, put } from './define.ts'
import { Id, nullable } from './fields.ts'

/** Any JSON, null included. */
const Value = Type.Unknown({ description: 'Any JSON value of at most 16 KB' })

export const preferences = {
  list: get('/me/preferences', {
    summary: 'List what your clients remember for you, by key',
    access: 'signed-in',
    kind: 'text',
    reply: Type.Record(Type.String(), Value),
  }),
  set: put('/me/preferences/:key', {
    summary: 'Remember a value under a key',
    access: 'signed-in',
    status: 204,
    body: Value,
    bodyLimit: 16 * 1024,
    overLimit: { code: 'body_too_large' },
    journal: [],
    throws: ['body_too_large', 'not_found'],
  }),
  remove: del('/me/preferences/:key', {
    summary: 'Forget the value of a key',
    access: 'signed-in',
    journal: [],
    throws: ['not_found'],
  }),
}

/** `*` mutes a channel. */
export const preferenceCategories = [...notificationCategories, '*'] as const

const Cell = Type.Object({
  category: Type.Enum([...preferenceCategories]),
  channel_id: Id,
  state: Type.Enum(['off', 'immediate']),
})

/** What somebody wants through which channel. docs/notifications.md. */
export const notificationPreferences = {
  notifications: get('/me/notification-prefs', {
    summary: 'List what you want through which channel of the workspace; what is not listed is off',
    access: 'VIEWER',
    reply: Type.Object({ cells: Type.Array(Cell) }),
  }),
  setNotifications: put('/me/notification-prefs', {
    summary: 'Say what you want through which channel, all of it or nothing',
    access: 'VIEWER',
    scope: 'workspace:admin',
    body: Type.Object({
      cells: Type.Array(
        Type.Object({
          category: Type.Enum([...preferenceCategories]),
          channel_id: Type.String({ minLength: 1, maxLength: 64 }),
          state: Type.Enum(['off', 'immediate']),
        }),
        { minItems: 1, maxItems: 1000 },
      ),
    }),
    reply: Type.Object({ ok: Type.Literal(true) }),
    journal: [],
  }),
}

const timeOfDay = (description: string) =>
  Type.String({ maxLength: 5, pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: `${description}, as HH:MM` })
const hours = {
  time_zone: Type.String({ maxLength: 64, description: 'such as Europe/Berlin; UTC at first' }),
  quiet_from: nullable(timeOfDay('when quiet hours begin')),
  quiet_until: nullable(timeOfDay('when they end')),
  digest_at: nullable(timeOfDay('when what is not urgent comes, each day')),
  urgent_waits: Type.Boolean({ description: 'whether approvals and escalations wait too' }),
}

/** When somebody is left in peace, and gets what waited in one message. docs/notifications.md. */
export const notificationHours = {
  hours: get('/me/notification-hours', {
    summary: 'Show your quiet hours, and when you get what waited',
    access: 'signed-in',
    reply: Type.Object(hours),
  }),
  setHours: put('/me/notification-hours', {
    summary: 'Set your quiet hours, and when you get what waited; what is not given stays',
    access: 'signed-in',
    body: Type.Object({
      time_zone: Type.Optional(hours.time_zone),
      quiet_from: Type.Optional(hours.quiet_from),
      quiet_until: Type.Optional(hours.quiet_until),
      digest_at: Type.Optional(hours.digest_at),
      urgent_waits: Type.Optional(hours.urgent_waits),
    }),
    reply: Type.Object(hours),
    journal: [],
    throws: ['no_fields'],
  }),
}
