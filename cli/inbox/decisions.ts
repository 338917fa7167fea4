import type { Client } from '#client'
import type { Reply } from '#contract/define'
import type { inbox } from '#contract/inbox'
import { type Choice, carryOut } from '../decisions/choices.ts'

/** An item with all of its details. */
export type Detail = Reply<typeof inbox.show>
export type Item = Reply<typeof inbox.list>['rows'][number]

export interface Decision {
  item: Item
  choice: Choice
  /** What is said with it. */
  text?: string
}

const resolve: Choice = { id: 'resolve', label: 'Resolve', body: {} }

/** What a person can decide about an item. */
export function choicesOf(item: Detail): Choice[] {
  if (item.state === 'resolved') return []
  return item.decides?.choices ?? [resolve]
}

/** Whether somebody may mark it unread again: what comes from a source is managed there. */
export const canBeUnread = ({ state, source_missing }: Detail): boolean =>
  state !== 'unread' && source_missing === undefined

/** Sends a decision to where it is made. Throws what the service refuses it with. */
export async function send(api: Client, { item, choice, text }: Decision): Promise<void> {
  if (item.decides) await carryOut(api, item.decides, choice, text)
  else await api.inbox.update({ itemId: item.id, body: { state: 'resolved' } })
}

const known: Readonly<Record<string, readonly [doing: string, done: string]>> = {
  approve: ['Approving', 'Approved'],
  deny: ['Denying', 'Denied'],
  answer: ['Answering', 'Answered'],
  take_over: ['Taking over', 'Taken over'],
  resolve: ['Resolving', 'Resolved'],
}

/** What a decision is called while it waits to be sent, and once it was. */
export const wordsOf = ({ id, means, label }: Choice): readonly [doing: string, done: string] =>
  known[means ?? id] ?? [label, `Done (${label})`]
