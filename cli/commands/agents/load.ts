import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { dollars, status } from '../../output/cell.ts'

export default class AgentsLoad extends ApiCommand<typeof AgentsLoad> {
  static override summary = 'Show the workload of each agent'
  static override examples = [
    '$ <%= config.bin %> agents load',
    '$ <%= config.bin %> agents load --json=agent_slug,active_tasks',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    await this.out.list(limited(await this.api.agents.load(), this.flags), {
      name: ({ agent_slug }) => agent_slug,
      empty: 'There are no agents here. Next: muster agents create NAME --crew CREW',
      columns: {
        NAME: ({ agent_slug }) => agent_slug,
        STATUS: ({ agent_status }) => status(agent_status),
        ACTIVE: ({ active_tasks }) => active_tasks,
        WAITING: ({ pending_tasks }) => pending_tasks,
        'DONE-TODAY': ({ completed_today }) => completed_today,
        'TOKENS-TODAY': ({ tokens_used_today }) => tokens_used_today,
        'COST-TODAY': ({ cost_usd_today, unpriced_runs_today }) =>
          cost_usd_today !== null && unpriced_runs_today > 0
            ? { text: `over $${cost_usd_today.toFixed(2)}`, value: cost_usd_today }
            : dollars(cost_usd_today),
      },
    })
  }
}
