import { Type } from 'typebox'
import { notificationCategories } from './channels.ts'
import { del, get, put } from './define.ts'
import { Id } from './fields.ts'

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
