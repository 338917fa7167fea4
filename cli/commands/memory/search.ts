import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, limited, listFlags, onePage } from '../../flags.ts'
import { memoryHitView } from '../../views/memory.ts'

export default class MemorySearch extends ApiCommand<typeof MemorySearch> {
  static override summary = 'Search memory files and the journal'
  static override description =
    'Files are ranked by their words, entries of the journal by age, and both are merged. The journal notes the ' +
    'search. The server gives 50 hits at most.'
  static override result = { of: ['memory.search'] }
  static override examples = [
    '$ <%= config.bin %> memory search "staging database"',
    '$ <%= config.bin %> memory search deploys --agent ada',
    '$ <%= config.bin %> memory search deploys --crew web --scope crew_shared --limit 20',
  ]
  static override args = { query: Args.string({ required: true, description: 'words to look for' }) }
  static override flags = {
    agent: Flags.string({ helpValue: 'AGENT', description: 'what this agent would find' }),
    crew: Flags.string({ helpValue: 'CREW', description: 'memory and journal of this crew' }),
    scope: Flags.string({
      options: ['own', 'crew_shared'],
      description: 'own memory of --agent alone, or what is shared alone',
    }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { agent, crew, scope } = this.flags
    const { limit } = onePage(this.flags, 50)
    const { query } = this.args
    const { hits } = await this.api.memory.search({
      body: given({ query, agent, crew_id: crew, scope: scope as 'own' | 'crew_shared' | undefined, limit }),
    })
    await this.out.list(limited(hits, this.flags), memoryHitView)
  }
}
