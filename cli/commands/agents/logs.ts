import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { age } from '../../output/cell.ts'
import { toneOf } from '../../views/journal.ts'

export default class AgentsLogs extends ApiCommand<typeof AgentsLogs> {
  static override summary = 'Show what an agent did, newest first'
  static override description = 'What it does from now on is shown by `muster logs AGENT -f`.'
  static override examples = [
    '$ <%= config.bin %> agents logs ada',
    '$ <%= config.bin %> agents logs ada --limit 500 -o ndjson',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const rows = await windowed(this.flags, (query) => this.api.agents.logs({ agentId: id, query }))
    await this.out.list(rows, {
      name: ({ event }) => event,
      empty: 'The agent has done nothing yet.',
      columns: {
        EVENT: ({ event, level }) => ({ text: event, ...(toneOf(level) && { tone: toneOf(level) }) }),
        TOOL: ({ tool }) => tool,
        TEXT: ({ content }) => content,
        AGE: ({ ts }) => age(ts),
      },
    })
  }
}
