import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'

export default class ApprovalsCancel extends ApiCommand<typeof ApprovalsCancel> {
  static override summary = 'Withdraw an approval request'
  static override description = 'The requested action does not happen: an agent that waits for review is removed.'
  static override examples = ['$ <%= config.bin %> approvals cancel APPROVAL --reason "not needed any more"']
  static override next = { approval_settled: 'muster approvals show APPROVAL', not_found: 'muster approvals list' }
  static override args = { approval: Args.string({ required: true, description: 'id of the approval' }) }
  static override flags = {
    reason: Flags.string({ helpValue: 'TEXT', description: 'reason, recorded in the journal' }),
  }

  async run(): Promise<void> {
    const { reason } = this.flags
    const reply = await this.api.approvals.cancel({
      approvalId: this.args.approval,
      body: given({ reason: reason || undefined }),
    })
    await this.out.done('Withdrawn.', reply)
  }
}
