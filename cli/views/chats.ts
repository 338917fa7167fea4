import type { Static } from 'typebox'
import type { Chat, Message } from '#contract/chats'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import { reactionsLine } from './chat-people.ts'

export const chatView: View<Static<typeof Chat>> = {
  name: ({ id }) => id,
  empty: 'There are no chats yet. Next: muster chat AGENT',
  columns: {
    ID: ({ id }) => id,
    TITLE: ({ title }) => title,
    MESSAGES: ({ message_count }) => message_count,
    UNREAD: ({ unread_count }) => unread_count || null,
    ORIGIN: ({ origin }) => word(origin),
    'LAST-ACTIVE': ({ last_activity_at }) => when(last_activity_at),
    AGE: ({ created_at }) => age(created_at),
  },
}

export const messageView: View<Static<typeof Message>> = {
  name: ({ id }) => id,
  empty: 'There are no messages yet.',
  columns: {
    ID: ({ id }) => id,
    WHO: ({ role }) => word(role),
    TEXT: ({ content }) => content,
    REACTIONS: ({ reactions }) => reactions && reactionsLine(reactions),
    AGE: ({ ts }) => age(ts),
  },
}
