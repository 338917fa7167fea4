import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { bareId } from '../../decisions/ids.ts'

export default class ConsolidateApprove extends ApiCommand<typeof ConsolidateApprove> {
  static override summary = 'Append the rules of a proposal to the memory of its crew'
  static override description = '`muster approve` does the same. `muster consolidate show` shows what is appended.'
  static override examples = [
    '$ <%= config.bin %> consolidate approve PROPOSAL',
    '$ <%= config.bin %> consolidate approve PROPOSAL --dry-run',
  ]
  static override next = {
    proposal_settled: 'muster consolidate show PROPOSAL',
    not_found: 'muster consolidate proposals --status all',
  }
  static override args = {
    proposal: Args.string({ required: true, description: 'id of the proposal, or of its inbox item' }),
  }

  async run(): Promise<void> {
    const reply = await this.api.consolidate.approve({ proposalId: bareId(this.args.proposal) })
    const many = reply.rules_merged === 1 ? 'One rule was' : `${reply.rules_merged} rules were`
    await this.out.done(`Approved. ${many} appended to ${reply.canonical_path}.`, reply)
  }
}
