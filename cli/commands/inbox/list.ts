import type { inboxKinds } from '#contract/inbox'
import { ApiCommand } from '../../command.ts'
import { oneOf, windowFlags, windowOf } from '../../flags.ts'
import { inboxView } from '../../views/inbox.ts'

const states = ['active', 'unread', 'read', 'resolved', 'all'] as const
const kinds = [
  'waitpoint',
  'escalation',
  'failed_run',
  'message',
  'memory_consolidation',
  'run_needs_human',
  'schedule_missed',
  'schedule_circuit_breaker_tripped',
  'webhook_fire_failed',
  'automation_enqueue_failed',
] as const satisfies typeof inboxKinds

export default class InboxList extends ApiCommand<typeof InboxList> {
  static override summary = 'List what waits for you, newest first'
  static override description = 'Resolved items are left out unless --state asks for them.'
  static override examples = [
    '$ <%= config.bin %> inbox list',
    '$ <%= config.bin %> inbox list --kind escalation --json=id,title',
    '$ <%= config.bin %> inbox list --state all',
  ]
  static override flags = {
    ...windowFlags,
    state: oneOf(states, { description: 'which ones; active is read and unread' }),
    kind: oneOf(kinds, { description: 'of this kind only' }),
  }

  async run(): Promise<void> {
    const { state = 'active', kind } = this.flags
    const reply = await this.api.inbox.list({ query: { ...windowOf(this.flags), state, ...(kind && { kind }) } })
    await this.out.list(reply.rows, inboxView, reply)
    if (reply.decision_count) this.out.note(`${reply.decision_count} of what is open ${reply.decision_count === 1 ? 'waits' : 'wait'} for a decision.`, 'dim')
  }
}
