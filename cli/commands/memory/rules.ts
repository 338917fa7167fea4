import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { learnedRulesView } from '../../views/consolidate.ts'

export default class MemoryRules extends ApiCommand<typeof MemoryRules> {
  static override summary = 'List the rules that crews learned, newest first, and whether they helped'
  static override description =
    'A rule counts as used by each run in whose prompt it stood. OK: the run came to its end by itself. PEOPLE: ' +
    'somebody refused what it asked for, cancelled it, or spoke to it while it worked. -o json tells the runs.'
  static override examples = [
    '$ <%= config.bin %> memory rules',
    '$ <%= config.bin %> memory rules --crew web-team -o wide',
  ]
  static override flags = {
    ...windowFlags,
    crew: Flags.string({ helpValue: 'CREW', description: 'only those of this crew' }),
  }

  async run(): Promise<void> {
    const { crew } = this.flags
    const crew_id = crew === undefined ? undefined : await crewId(this.api, crew)
    const rows = await windowed(
      this.flags,
      async (window) => (await this.api.memory.rules({ query: given({ ...window, crew_id }) })).rules,
      100,
    )
    await this.out.list(rows, learnedRulesView)
  }
}
