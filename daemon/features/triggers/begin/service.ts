import type { App } from '#kernel/app'
import { Problem } from '#kernel/problem'
import type { AgentRow } from '../../agents/service.ts'
import { addMessage } from '../../chats/messages/service.ts'
import { beginRun, checkMayBegin } from '../../runs/service.ts'

/** Whom a fact about what begins by itself concerns. */
export const concerning = ({ id, workspace_id, crew_id }: AgentRow) => ({
  workspace_id,
  ...(crew_id && { crew_id }),
  agent_id: id,
  actor_type: 'system' as const,
})

/** Refusals that may be over in a moment. */
const passing = new Set(['runtime_unavailable', 'unavailable'])

export const isPassing = (error: unknown): boolean => error instanceof Problem && passing.has(error.code)

/** Why an agent may not work; null when it may. Throws what may be over in a moment. */
export function refusalOf(app: App, agent: AgentRow): string | null {
  try {
    checkMayBegin(app, agent)
    return null
  } catch (error) {
    if (error instanceof Problem && !isPassing(error)) return error.message
    throw error
  }
}

interface Begun {
  id: string
  agent: AgentRow
  chat_id: string
  trigger_type: 'WEBHOOK' | 'CRON'
  text: string
  tags: readonly string[]
  max_turns?: number
}

/** Says something to an agent in a chat, as nobody, and begins the run that answers it. */
export function begin(app: App, { text, ...wanted }: Begun): void {
  const { id, agent, chat_id } = wanted
  const message = addMessage(app, { chatId: chat_id, agentId: agent.id, runId: id, role: 'user', content: text })
  beginRun(app, { ...wanted, source: 'chat', source_id: message.id, triggered_by: null })
}
