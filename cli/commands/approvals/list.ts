import { approvalStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { oneOf, windowFlags, windowOf } from '../../flags.ts'
import { approvalView } from '../../views/approvals.ts'

const statuses = [...approvalStatuses, 'all'] as const

export default class ApprovalsList extends ApiCommand<typeof ApprovalsList> {
  static override summary = 'List approval requests, newest first'
  static override examples = ['$ <%= config.bin %> approvals list', '$ <%= config.bin %> approvals list --status all']
  static override flags = {
    ...windowFlags,
    status: oneOf(statuses, { description: 'status to list (default pending)' }),
  }

  async run(): Promise<void> {
    const { status } = this.flags
    const reply = await this.api.approvals.list({ query: { ...windowOf(this.flags), ...(status && { status }) } })
    await this.out.list(reply.rows, approvalView, reply)
  }
}
