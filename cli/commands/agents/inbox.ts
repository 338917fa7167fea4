import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { dollars } from '../../output/cell.ts'

export default class AgentsInbox extends ApiCommand<typeof AgentsInbox> {
  static override summary = 'Show what waits on an agent, and what it used this month'
  static override description = 'The month is that of the calendar, in UTC. Cost leaves out runs whose cost is unknown.'
  static override examples = [
    '$ <%= config.bin %> agents inbox ada',
    '$ <%= config.bin %> agents inbox ada --jq .cost_usd_this_month',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const shown = await this.api.agents.inbox({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.show(shown, {
      name: ({ approvals_pending, escalations_open }) => String(approvals_pending + escalations_open),
      columns: {
        Approvals: ({ approvals_pending }) => approvals_pending,
        Questions: ({ escalations_open }) => escalations_open,
        Assignments: ({ assignments_open }) => assignments_open,
        Messages: ({ peer_messages }) => peer_messages.length,
        Tokens: ({ tokens_used_this_month }) => tokens_used_this_month,
        Turns: ({ llm_calls_this_month }) => llm_calls_this_month,
        Cost: ({ cost_usd_this_month }) => dollars(cost_usd_this_month),
      },
    })
  }
}
