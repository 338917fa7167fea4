import { Type } from 'typebox'
import { get } from './define.ts'
import { Id, page, Time } from './fields.ts'

export const deliveryStatuses = ['pending', 'sent', 'failed', 'dropped_pref', 'dropped_rate'] as const

/** A message that a channel was to take for somebody. docs/notifications.md. */
export const Delivery = Type.Object({
  id: Id,
  workspace_id: Id,
  channel_id: Id,
  user_id: Id,
  category: Type.String(),
  dedup_key: Type.String(),
  source_kind: Type.String(),
  source_id: Type.String(),
  title: Type.String(),
  status: Type.Enum([...deliveryStatuses]),
  error: Type.Optional(Type.String({ description: 'Why it failed, or was not sent at all' })),
  attempts: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  sent_at: Type.Optional(Time),
})

export const deliveries = {
  list: get('/notification-deliveries', {
    summary: 'List what channels were to take, newest first, with what became of it',
    access: 'ADMIN',
    query: Type.Object({
      limit: page.limit,
      status: Type.Optional(Type.String({ maxLength: 40 })),
      channel_id: Type.Optional(Type.String({ maxLength: 64 })),
      category: Type.Optional(Type.String({ maxLength: 40 })),
    }),
    reply: Type.Object({ deliveries: Type.Array(Delivery) }),
  }),
  why: get('/notification-deliveries/why', {
    summary: 'Say why somebody was told of something through channels, or was not',
    access: 'VIEWER',
    query: Type.Object({
      subject: Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'a delivery, a notification, an entry of the journal, or what it was about',
      }),
      user_id: Type.Optional(Type.String({ maxLength: 64, description: 'you unless stated; others for an ADMIN' })),
    }),
    reply: Type.Object({
      event: Type.Object({
        id: Id,
        category: Type.String(),
        priority: Type.String(),
        source_kind: Type.String(),
        source_id: Type.String(),
        title: Type.String(),
        created_at: Time,
      }),
      user_id: Id,
      concerned: Type.Boolean({ description: 'whether that person was among those to be told' }),
      channels: Type.Array(
        Type.Object({
          channel_id: Id,
          kind: Type.String(),
          outcome: Type.Enum([...deliveryStatuses, 'off']),
          reason: Type.String(),
          delivery_id: Type.Optional(Id),
        }),
      ),
    }),
    throws: ['not_found', 'insufficient_role'],
  }),
}
