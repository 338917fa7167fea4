import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { status, when, word } from '../../output/cell.ts'

export default class AgentsDebug extends ApiCommand<typeof AgentsDebug> {
  static override summary = 'Show what the server knows of an agent and its container'
  static override description =
    'For reports of faults: paths and values of variables are left out. --json holds the last log lines as well.'
  static override examples = [
    '$ <%= config.bin %> agents debug ada',
    '$ <%= config.bin %> agents debug ada --json > report.json',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const shown = await this.api.agents.debug({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.show(shown, {
      name: ({ agent }) => agent.id,
      columns: {
        Agent: ({ agent }) => agent.name,
        Id: ({ agent }) => agent.id,
        Adapter: ({ agent }) => word(agent.cli_adapter),
        Status: ({ agent }) => status(agent.db_status),
        Runtime: ({ runtime }) => runtime.status,
        Container: ({ runtime }) => runtime.container,
        Daemon: ({ daemon }) => daemon.status,
        Uptime: ({ daemon }) => daemon.uptime,
        Started: ({ daemon }) => when(daemon.started_at),
        Connections: ({ daemon }) => daemon.connections,
        Engine: ({ daemon }) => `${daemon.providers.join(', ')}${daemon.container_available ? '' : ', not available'}`,
      },
      below: ({ service_logs }) =>
        service_logs
          .slice(0, 10)
          .map(({ time, level, msg }) => `${time} ${level.padEnd(6)} ${msg}`)
          .join('\n'),
    })
  }
}
