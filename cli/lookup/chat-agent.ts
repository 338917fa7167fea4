import type { Client } from '#client'
import { windowed } from '../flags.ts'
import { InputError } from '../input.ts'
import { agentId } from '../lookup.ts'

/** Id of the agent of a chat: the one that was named, or else the one that has it. */
export async function agentOfChat(api: Client, chatId: string, named: string | undefined): Promise<string> {
  if (named !== undefined) return agentId(api, named)
  const { messages } = await api.chats.messages({ chatId, query: { limit: 1 } })
  const [first] = messages
  if (first?.agent_id) return first.agent_id
  const agents = await windowed({ all: true }, (query) => api.agents.list({ query }))
  for (const { id } of agents) {
    const chats = await windowed({ all: true }, (query) => api.chats.list({ agentId: id, query }), 100)
    if (chats.some((chat) => chat.id === chatId)) return id
  }
  throw new InputError(`There is no chat ${chatId}.`, 'muster chats list AGENT')
}
