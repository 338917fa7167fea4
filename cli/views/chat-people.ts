import type { Static } from 'typebox'
import type { Participant, Reaction } from '#contract/chat-people'
import { age, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const reactionView: View<Static<typeof Reaction>> = {
  name: ({ emoji }) => emoji,
  empty: 'Nobody has reacted to the message. Next: muster chats react CHAT MESSAGE EMOJI',
  columns: { NAME: ({ emoji }) => emoji, COUNT: ({ count }) => count, MINE: ({ mine }) => (mine ? 'yes' : null) },
}

export const participantView: View<Static<typeof Participant>> = {
  name: ({ user_id, email }) => email ?? user_id,
  empty: 'Nobody was added to the chat. Next: muster chats invite CHAT USER',
  columns: {
    NAME: ({ user_id, email }) => email ?? user_id,
    'FULL-NAME': ({ full_name }) => full_name,
    ROLE: ({ role }) => word(role),
    JOINED: ({ joined_at }) => age(joined_at),
  },
  wide: { 'USER-ID': ({ user_id }) => user_id },
}

/** Reactions on one line: `👍 2 🎉`. */
export const reactionsLine = (reactions: readonly Static<typeof Reaction>[]): string =>
  reactions.map(({ emoji, count }) => (count > 1 ? `${emoji} ${count}` : emoji)).join('  ')
