import type { Static } from 'typebox'
import type { Client } from '#client'
import type { Message } from '#contract/chats'

export type Said = Static<typeof Message>

/** What is stored of a chat, newest messages, oldest of them first. */
export const messagesOf = async (api: Client, chatId: string, limit: number): Promise<Said[]> =>
  (await api.chats.messages({ chatId, query: { limit } })).messages

/** The run that a message is the answer of. */
export const runOf = ({ metadata }: Said): string | null =>
  typeof metadata?.['run_id'] === 'string' ? metadata['run_id'] : null

/** What the agent said in a run, as it is stored; null when it said nothing. */
export async function replyOf(api: Client, chatId: string, runId: string): Promise<Said | null> {
  const messages = await messagesOf(api, chatId, 50)
  return messages.findLast((message) => message.role !== 'user' && runOf(message) === runId) ?? null
}

/** What of the stored text was not told yet. */
export const untold = (told: string, stored: string): string =>
  stored.startsWith(told) ? stored.slice(told.length) : `\n\n${stored}`
