import type { Client } from '#client'
import { inboxKinds, inboxStates } from '#client/words'
import { oneOf, type Window, windowed, windowFlags } from '../flags.ts'
import type { Printer } from '../output/printer.ts'
import { inboxView } from '../views/inbox.ts'

const states = ['active', ...inboxStates, 'all'] as const

/** Flags that choose items of the inbox. */
export const listFlags = {
  ...windowFlags,
  state: oneOf(states, { description: 'state to list; active means read and unread' }),
  kind: oneOf(inboxKinds, { description: 'only this kind' }),
}

export interface ListFlags {
  limit?: number | undefined
  all?: boolean | undefined
  offset?: number | undefined
  state?: (typeof states)[number] | undefined
  kind?: (typeof inboxKinds)[number] | undefined
}

/** Lists items of the inbox; those that are resolved only when asked for. */
export async function listInbox(
  api: Client,
  out: Printer,
  { state = 'active', kind, ...window }: ListFlags,
): Promise<void> {
  let decisions = 0
  const page = async (part: Window) => {
    const reply = await api.inbox.list({ query: { ...part, state, ...(kind && { kind }) } })
    decisions = reply.decision_count ?? 0
    return reply.rows
  }
  await out.list(await windowed(window, page), inboxView)
  const waiting = decisions === 1 ? '1 open item waits' : `${decisions} open items wait`
  if (decisions) out.note(`${waiting} for a decision.`, 'dim')
}
