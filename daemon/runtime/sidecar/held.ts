import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Daemon } from './notes.ts'
import { heldRoute } from './own-routes.ts'
import { say } from './say.ts'

const beforeCall = 'PreToolUse'

/** A client asks before a call of a tool. */
export const isHold = ({ headers }: IncomingMessage): boolean => headers['x-hook-event'] === beforeCall

/**
 * Answers a client once it is known whether its call may be made. Nothing is stopped by what cannot be read or asked:
 * the daemon sees such a call when it is made.
 */
export async function answerHold(
  response: ServerResponse,
  body: { value: unknown } | { refused: unknown },
  { call }: Daemon,
): Promise<void> {
  const { tool_name, tool_use_id, tool_input } = (('value' in body && body.value) || {}) as Record<string, unknown>
  const asked = typeof tool_name === 'string' && typeof tool_use_id === 'string'
  const answer = asked ? await call(heldRoute, { tool_name, call_id: tool_use_id, input: tool_input ?? null }) : null
  if (response.destroyed) return
  const stopped = answer?.status === 200 && (answer.body as { stopped?: unknown } | null)?.stopped
  if (typeof stopped !== 'string') return void response.writeHead(204).end()
  const decision = { permissionDecision: 'deny', permissionDecisionReason: stopped }
  say(response, 200, { hookSpecificOutput: { hookEventName: beforeCall, ...decision } })
}
