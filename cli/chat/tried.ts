import { type Client, ProblemError } from '#client'

interface Trial {
  /** The chat that the message is for; a new one unless given. */
  chat: string | undefined
  send(chatId: string): Promise<unknown>
}

/**
 * Tries to send a message. A new chat is not there to be tried, so that one of the same agent stands in for it: whether
 * a run is admitted depends on the agent, its crew and the engine. False when there is none.
 */
export async function tryToSend(api: Client, agentId: string, { chat, send }: Trial): Promise<boolean> {
  const chats = chat === undefined ? (await api.chats.list({ agentId, query: {} })).map(({ id }) => id) : [chat]
  for (const id of chats) {
    try {
      await send(id)
      return true
    } catch (error) {
      if (chat !== undefined || !isBusy(error)) throw error
    }
  }
  return false
}

/** A new chat would not be. */
const isBusy = (error: unknown): boolean => error instanceof ProblemError && error.problem.code === 'chat_busy'
