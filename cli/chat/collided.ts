import type { Static } from 'typebox'
import type { Client } from '#client'
import type { Collision } from '#contract/collisions'
import { displayable, type Row, span } from '../markdown/rows.ts'
import { cleanLine } from '../output/clean.ts'
import { shorten } from '../output/width.ts'
import type { Said } from './stored.ts'

/** Two agents wrote the same thing, one of them in a run of the chat. */
export type Collided = Pick<Static<typeof Collision>, 'summary' | 'created_at'>

/** `  ! Ada and Grace both wrote "web/src/app.ts" while both were working` */
export const collisionRow = (summary: string, width: number): Row => [
  span('  ! ', 'yellow'),
  span(shorten(cleanLine(displayable(summary)), Math.max(10, width - 4)), 'dim'),
]

/** The last collisions in a chat, oldest first; none from a server that does not know of any. */
export const collisionsOf = async (api: Client, chatId: string): Promise<Collided[]> =>
  (await api.collisions.list({ query: { chat_id: chatId, limit: 100 } }).catch(() => [])).reverse()

/** Messages and collisions in their order in time, from the first message on. */
export function interleaved(messages: readonly Said[], collided: readonly Collided[]): (Said | Collided)[] {
  const [first] = messages
  const left = collided.filter(({ created_at }) => first && Date.parse(created_at) >= Date.parse(first.ts))
  const before = (ts: string) => {
    const index = left.findIndex(({ created_at }) => Date.parse(created_at) > Date.parse(ts))
    return left.splice(0, index < 0 ? left.length : index)
  }
  return [...messages.flatMap((message) => [...before(message.ts), message]), ...left]
}
