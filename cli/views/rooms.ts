import type { Static } from 'typebox'
import type { Room, RoomMessage } from '#contract/rooms'
import { age, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import { calledRoom } from '../rooms/called.ts'

export const roomView: View<Static<typeof Room>> = {
  name: ({ id }) => id,
  empty: 'There are no rooms yet. Next: muster dm PERSON',
  columns: {
    ID: ({ id }) => id,
    ROOM: (room) => calledRoom(room),
    KIND: ({ kind, is_direct }) => (is_direct ? 'direct' : word(kind)),
    AGENT: ({ agent }) => agent?.slug,
    MEMBERS: ({ members }) => members.length,
    UNREAD: ({ unread_count }) => unread_count || null,
    'LAST-ACTIVE': ({ last_message_at }) => when(last_message_at),
    AGE: ({ created_at }) => age(created_at),
  },
}

export const roomMessageView: View<Static<typeof RoomMessage>> = {
  name: ({ id }) => id,
  empty: 'There are no messages yet.',
  columns: {
    ID: ({ id }) => id,
    SEQ: ({ seq }) => seq,
    WHO: ({ author_name, author_type }) => author_name ?? word(author_type),
    TEXT: ({ content }) => content,
    AGE: ({ created_at }) => age(created_at),
  },
}
