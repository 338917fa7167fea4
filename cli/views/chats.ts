import type { Static } from 'typebox'
import type { Chat, Message } from '#contract/chats'
import { when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const chatView: View<Static<typeof Chat>> = {
  name: ({ id }) => id,
  empty: 'There are no chats yet. Next: muster chat AGENT',
  columns: {
    ID: ({ id }) => id,
    TITLE: ({ title }) => title,
    MESSAGES: ({ message_count }) => message_count,
    UNREAD: ({ unread_count }) => unread_count || null,
    'LAST ACTIVITY': ({ last_activity_at }) => when(last_activity_at),
    ORIGIN: ({ origin }) => origin?.toLowerCase(),
  },
}

export const messageView: View<Static<typeof Message>> = {
  name: ({ id }) => id,
  empty: 'There are no messages yet.',
  columns: { WHEN: ({ ts }) => when(ts), WHO: ({ role }) => role, TEXT: ({ content }) => content, ID: ({ id }) => id },
}
