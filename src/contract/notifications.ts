import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, nullable, page, Time } from './fields.ts'

/** What somebody is told of. Members without a value are left out. docs/notifications.md. */
export const Notification = Type.Object({
  id: Id,
  actor_type: Type.Enum(['user', 'agent']),
  actor_id: Type.String(),
  actor_name: Type.Optional(Type.String({ description: 'Left out when there is no such actor any more' })),
  action: Type.String({ description: 'What was done, as a verb' }),
  entity_type: Type.String(),
  entity_id: nullable(Type.String()),
  entity_title: nullable(Type.String({ description: 'As it was then' })),
  read_at: nullable(Time),
  created_at: Time,
})

export const notifications = {
  list: get('/notifications', {
    summary: 'List what you were told of in all your workspaces, newest first',
    access: 'signed-in',
    query: Type.Object({ ...page, read: Type.Optional(Type.Enum(['true', 'false'])) }),
    reply: Type.Array(Notification),
  }),
  count: get('/notifications/count', {
    summary: 'Count the notifications that you have not read',
    access: 'signed-in',
    reply: Type.Object({ unread: Type.Integer() }),
  }),
  read: post('/notifications/:notificationId/read', {
    summary: 'Mark a notification of yours as read',
    access: 'signed-in',
    status: 200,
    reply: Type.Object({ status: Type.Literal('ok') }),
    journal: [],
    throws: ['not_found'],
  }),
  readAll: post('/notifications/read-all', {
    summary: 'Mark all your notifications as read',
    access: 'signed-in',
    status: 200,
    reply: Type.Object({ updated: Type.Integer() }),
    journal: [],
  }),
  remove: del('/notifications/:notificationId', {
    summary: 'Delete a notification of yours',
    access: 'signed-in',
    journal: [],
    throws: ['not_found'],
  }),
}
