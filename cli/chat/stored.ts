import type { Static } from 'typebox'
import type { Client } from '#client'
import type { Message } from '#contract/chats'
import type { Delivery } from '#contract/frames'

export type Said = Static<typeof Message>

/** The newest stored messages of a chat, oldest first. */
export const messagesOf = async (api: Client, chatId: string, limit: number): Promise<Said[]> =>
  (await api.chats.messages({ chatId, query: { limit } })).messages

/** The run that produced a message. */
export const runOf = ({ metadata }: Said): string | null =>
  typeof metadata?.['run_id'] === 'string' ? metadata['run_id'] : null

/** What became of a message that was said while the agent worked. */
export const deliveryOf = ({ metadata }: Said): Delivery =>
  metadata?.['delivery'] === 'pending' || metadata?.['delivery'] === 'delivered' ? metadata['delivery'] : 'queued'

/** The stored answer of a run; null when the agent said nothing. */
export async function replyOf(api: Client, chatId: string, runId: string): Promise<Said | null> {
  const messages = await messagesOf(api, chatId, 50)
  return messages.findLast((message) => message.role !== 'user' && runOf(message) === runId) ?? null
}

/** The part of the stored text that has not been shown yet. */
export const untold = (told: string, stored: string): string =>
  stored.startsWith(told) ? stored.slice(told.length) : `\n\n${stored}`
