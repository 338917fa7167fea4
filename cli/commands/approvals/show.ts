import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { approvalView } from '../../views/approvals.ts'

export default class ApprovalsShow extends ApiCommand<typeof ApprovalsShow> {
  static override summary = 'Show an approval request and its decision'
  static override examples = ['$ <%= config.bin %> approvals show APPROVAL']
  static override next = { not_found: 'muster approvals list --status all' }
  static override args = { approval: Args.string({ required: true, description: 'id of the approval' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.approvals.show({ approvalId: this.args.approval }), approvalView)
  }
}
