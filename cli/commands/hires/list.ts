import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { hiredView } from '../../views/hires.ts'

export default class HiresList extends ApiCommand<typeof HiresList> {
  static override summary = 'List hired agents, ghosts last'
  static override result = { of: ['agents.list'] }
  static override examples = ['$ <%= config.bin %> hires', '$ <%= config.bin %> hires list --crew web-team']
  static override flags = {
    crew: Flags.string({ description: 'only agents of this crew' }),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const { crew } = this.flags
    const query = { ephemeral: '1', ...(crew && { crew_id: await crewId(this.api, crew) }) }
    const rows = await windowed(this.flags, (window) => this.api.agents.list({ query: { ...query, ...window } }))
    await this.out.list(rows, hiredView)
  }
}
