import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { agentView } from '../../views/agents.ts'

export default class AgentsList extends ApiCommand<typeof AgentsList> {
  static override summary = 'List agents'
  static override examples = [
    '$ <%= config.bin %> agents',
    '$ <%= config.bin %> agents list --crew web-team',
    '$ <%= config.bin %> agents list --search review -q',
  ]
  static override flags = {
    crew: Flags.string({ description: 'only agents of this crew' }),
    search: Flags.string({ helpValue: 'TEXT', description: 'text in the name, slug or title' }),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const { crew, search } = this.flags
    const query = {
      ...(search && { q: search }),
      ...(crew && { crew_id: await crewId(this.api, crew) }),
    }
    let total = 0
    const onHeaders = (headers: Readonly<Record<string, unknown>>) => (total = Number(headers['x-total-count'] ?? 0))
    const rows = await windowed(this.flags, (window) =>
      this.api.agents.list({ query: { ...query, ...window } }, { onHeaders }),
    )
    await this.out.list(rows, agentView)
    const shown = (this.flags.offset ?? 0) + rows.length
    if (this.out.terminal && rows.length && shown < total)
      this.out.note(`${rows.length} of ${total} agents. Next: --all`, 'dim')
  }
}
