import type { Client, Connection } from '#client'
import type { Reply } from '#contract/define'
import type { inbox } from '#contract/inbox'

/** An item with all of its details. */
export type Detail = Reply<typeof inbox.show>
export type Item = Reply<typeof inbox.list>['rows'][number]

export type Verb = 'approve' | 'deny' | 'answer' | 'take_over' | 'resolve'

export interface Decision {
  item: Item
  verb: Verb
  /** Of an answer. */
  text?: string
}

/** What a decision is called while it waits to be sent, and once it was. */
export const words: Readonly<Record<Verb, readonly [doing: string, done: string]>> = {
  approve: ['Approving', 'Approved'],
  deny: ['Denying', 'Denied'],
  answer: ['Answering', 'Answered'],
  take_over: ['Taking over', 'Taken over'],
  resolve: ['Resolving', 'Resolved'],
}

/** What a person can decide about an item. */
export function decisionsOf(item: Detail): Verb[] {
  if (item.state === 'resolved') return []
  if (item.source_missing) return ['resolve']
  const { payload = {} } = item
  // A request for a credential is decided by the judge's own endpoint.
  if (item.kind === 'escalation' && payload['request_type'] !== undefined) return []
  // A credential is taken or not: what is typed here would stand in the answer.
  if (item.kind === 'escalation')
    return payload['escalation_type'] === 'CREDENTIAL' ? ['approve', 'deny'] : ['answer', 'approve', 'deny']
  if (item.kind === 'waitpoint') return ['approve', 'deny']
  return item.kind === 'run_needs_human' ? ['answer', 'take_over', 'deny'] : ['resolve']
}

/** Whether somebody may mark it unread again. */
export const canBeUnread = ({ kind, state }: Detail): boolean =>
  state !== 'unread' && kind !== 'waitpoint' && kind !== 'escalation'

const outcomes = { approve: 'Approved.', deny: 'Denied.' } as const

/** Sends a decision to where it is made. Throws what the service refuses it with. */
export async function send(api: Client, connection: Connection, { item, verb, text = '' }: Decision): Promise<void> {
  const { id, kind, source_id, payload = {} } = item
  if (verb === 'resolve') await api.inbox.update({ itemId: id, body: { state: 'resolved' } })
  else if (kind === 'run_needs_human') {
    const action = verb === 'answer' || verb === 'take_over' ? verb : 'dismiss'
    await api.inbox.act({ itemId: id, body: { action, ...(verb === 'answer' && { input: text }) } })
  } else if (kind === 'escalation') {
    const resolution = verb === 'answer' ? text : outcomes[verb as 'approve' | 'deny']
    await api.escalations.resolve({
      escalationId: source_id,
      body: { resolution, action: verb === 'deny' ? 'reject' : 'approve' },
    })
  } else if (typeof payload['waitpoint_id'] === 'string') {
    await api.waitpoints.approve({
      workspaceId: connection.workspace!,
      token: source_id,
      body: { approved: verb === 'approve' },
    })
  } else {
    const approvalId = typeof payload['approval_id'] === 'string' ? payload['approval_id'] : source_id
    await api.approvals.decide({ approvalId, body: { status: verb === 'approve' ? 'approved' : 'denied' } })
  }
}
