import type { Client, Connection } from '#client'
import { feed } from './feed.ts'
import { deliveryOf, messagesOf } from './stored.ts'

/** What becomes of a message that waits for the agent's next step: it is told, or the turn ends first. */
export async function deliveryAfter(
  api: Client,
  connection: Connection,
  { chatId, messageId }: { chatId: string; messageId: string },
): Promise<'delivered' | 'queued'> {
  const stop = new AbortController()
  try {
    for await (const event of feed(connection, chatId, { signal: stop.signal })) {
      if (event.type === 'steering' && event.id === messageId && event.delivery !== 'pending') return event.delivery
      if (event.type !== 'attached' && event.type !== 'gap') continue
      const stored = (await messagesOf(api, chatId, 100)).find(({ id }) => id === messageId)
      const known = stored ? deliveryOf(stored) : 'queued'
      if (known !== 'pending') return known
    }
    return 'queued'
  } finally {
    stop.abort()
  }
}
