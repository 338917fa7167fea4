import { Flags } from '@oclif/core'
import { proposalStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, oneOf, windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { proposalsView } from '../../views/consolidate.ts'

const statuses = [...proposalStatuses, 'all'] as const

export default class ConsolidateProposals extends ApiCommand<typeof ConsolidateProposals> {
  static override summary = 'List what crews are to remember, newest first'
  static override description = 'Lists what waits for a decision unless a status is given.'
  static override examples = [
    '$ <%= config.bin %> consolidate proposals',
    '$ <%= config.bin %> consolidate proposals --crew web-team --status all',
  ]
  static override flags = {
    ...windowFlags,
    crew: Flags.string({ helpValue: 'CREW', description: 'only those of this crew' }),
    status: oneOf(statuses, { description: 'status to list (default pending)' }),
  }

  async run(): Promise<void> {
    const { status, crew } = this.flags
    const crew_id = crew === undefined ? undefined : await crewId(this.api, crew)
    const rows = await windowed(
      this.flags,
      async (window) => {
        const { proposals } = await this.api.consolidate.proposals({ query: given({ ...window, status, crew_id }) })
        return proposals
      },
      100,
    )
    await this.out.list(rows, proposalsView)
  }
}
