import { ApiCommand } from '../../command.ts'

export default class AgentsStatus extends ApiCommand<typeof AgentsStatus> {
  static override summary = 'Count agents by status'
  static override examples = ['$ <%= config.bin %> agents status', '$ <%= config.bin %> agents status --jq .running']

  async run(): Promise<void> {
    await this.out.show(await this.api.agents.status(), {
      name: ({ total }) => String(total),
      columns: {
        Agents: ({ total }) => total,
        Running: ({ running }) => running,
        Idle: ({ idle }) => idle,
        Queued: ({ queued }) => queued,
        'In error': ({ error }) => (error ? { text: String(error), tone: 'red' } : error),
      },
    })
  }
}
