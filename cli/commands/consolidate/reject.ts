import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { bareId } from '../../decisions/ids.ts'
import { given } from '../../flags.ts'

export default class ConsolidateReject extends ApiCommand<typeof ConsolidateReject> {
  static override summary = 'Reject a proposal; nothing is remembered'
  static override description = '`muster deny` does the same.'
  static override examples = [
    '$ <%= config.bin %> consolidate reject PROPOSAL',
    '$ <%= config.bin %> consolidate reject PROPOSAL --reason "true of staging alone"',
  ]
  static override next = {
    proposal_settled: 'muster consolidate show PROPOSAL',
    not_found: 'muster consolidate proposals --status all',
  }
  static override args = {
    proposal: Args.string({ required: true, description: 'id of the proposal, or of its inbox item' }),
  }
  static override flags = {
    reason: Flags.string({ helpValue: 'TEXT', description: 'reason, recorded in the journal' }),
  }

  async run(): Promise<void> {
    const { reason } = this.flags
    const proposalId = bareId(this.args.proposal)
    const reply = await this.api.consolidate.reject({ proposalId, body: given({ reason: reason || undefined }) })
    await this.out.done('Rejected. Nothing is remembered.', reply)
  }
}
