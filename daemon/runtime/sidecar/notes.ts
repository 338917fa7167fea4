import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { SidecarAnswer } from '../types.ts'
import { say } from './say.ts'

/** The daemon, as far as an agent's call reaches it. */
export interface Daemon {
  call(route: string, body: unknown): Promise<SidecarAnswer>
  /** As `call`, but the agent does not wait for it. */
  tell(route: string, body: unknown): void
}

/** A daemon that went away meanwhile does not hold an agent up for longer. */
const patienceMs = 2000
const late = (): Promise<SidecarAnswer> => pause(patienceMs, { status: 503, body: null }, { ref: false })

/** Notes for an agent, and what is to be called once it surely gets them: when the answer was written. */
export interface Handed {
  text: string
  taken(): void
}

/** What waits to be told to the agent; null when nothing does. */
export async function waitingNotes({ call, tell }: Daemon): Promise<Handed | null> {
  const { status, body } = await Promise.race([call('/notes', {}), late()])
  const { receipt, text } = (body ?? {}) as { receipt?: unknown; text?: unknown }
  if (status !== 200 || typeof receipt !== 'string' || typeof text !== 'string') return null
  return { text, taken: () => tell('/notes/taken', { receipt }) }
}

/**
 * Where clients ask between two steps of an agent, named by `x-hook-event`. The answer is the output of a hook, as
 * several clients take it, which they give to the model.
 */
export const hookRoute = '/hook'

/** Tells a hook what waits for its agent. What it says itself, such as the results of tools, is not looked at. */
export async function answerHook(request: IncomingMessage, response: ServerResponse, daemon: Daemon): Promise<void> {
  request.resume()
  const notes = await waitingNotes(daemon)
  if (response.destroyed) return
  if (!notes) return void response.writeHead(204).end()
  response.once('finish', notes.taken)
  const hookEventName = String(request.headers['x-hook-event'] ?? '').slice(0, 64)
  say(response, 200, { hookSpecificOutput: { hookEventName, additionalContext: notes.text } })
}
