import type { Client } from '#client'
import { inboxKinds, inboxStates } from '#client/words'
import { oneOf, windowFlags, windowOf } from '../flags.ts'
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
  const reply = await api.inbox.list({ query: { ...windowOf(window), state, ...(kind && { kind }) } })
  await out.list(reply.rows, inboxView, reply)
  if (reply.decision_count)
    out.note(
      `${reply.decision_count} of what is open ${reply.decision_count === 1 ? 'waits' : 'wait'} for a decision.`,
      'dim',
    )
}
