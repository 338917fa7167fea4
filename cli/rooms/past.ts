import type { Static } from 'typebox'
import type { Client } from '#client'
import type { RoomMessage } from '#contract/rooms'

export type RoomWords = Static<typeof RoomMessage>

/** The most that the service gives at once. */
const most = 200

/** The last messages of a room, or the last ones before one; oldest first. */
export async function messagesBefore(
  api: Client,
  conversationId: string,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<RoomWords[]> {
  const all: RoomWords[] = []
  let from = before
  while (all.length < limit) {
    const size = Math.min(most, limit - all.length)
    const query = { limit: size, ...(from !== undefined && { before_seq: from }) }
    const { messages, has_more } = await api.rooms.messages({ conversationId, query })
    all.unshift(...messages)
    from = messages[0]?.seq
    if (!has_more || from === undefined) break
  }
  return all
}
