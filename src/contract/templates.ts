import { Type } from 'typebox'
import { notificationCategories } from './channels.ts'
import { del, get, put } from './define.ts'
import { prose } from './fields.ts'

const Category = Type.Enum([...notificationCategories])

/** Other words for what channels tell. docs/notifications.md. */
export const NotificationTemplate = Type.Object({
  category: Category,
  channel_id: Type.Optional(Type.String({ description: 'every channel when it is left out' })),
  title: Type.String(),
  body: Type.String(),
})

const managing = { access: 'ADMIN', scope: 'workspace:admin' } as const

export const templates = {
  notifications: get('/notification-templates', {
    summary: 'List the templates of notifications, by category and channel',
    access: 'ADMIN',
    reply: Type.Object({ templates: Type.Array(NotificationTemplate) }),
  }),
  setNotification: put('/notification-templates', {
    summary: 'Say in other words what channels tell of a category; without any, as before',
    ...managing,
    body: Type.Object({
      category: Category,
      channel_id: Type.Optional(Type.String({ maxLength: 64, description: 'every channel when it is empty' })),
      title: Type.Optional(prose(300)),
      body: Type.Optional(prose(4000)),
    }),
    reply: NotificationTemplate,
    journal: ['audit.entity_updated', 'audit.entity_deleted'],
  }),
  removeNotification: del('/notification-templates', {
    summary: 'Tell a category in its usual words again',
    ...managing,
    query: Type.Object({
      category: Category,
      channel_id: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    journal: ['audit.entity_deleted'],
  }),
}
