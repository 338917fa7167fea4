import { approvalStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { oneOf, type Window, windowed, windowFlags } from '../../flags.ts'
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
    const page = async (window: Window) =>
      (await this.api.approvals.list({ query: { ...window, ...(status && { status }) } })).rows
    await this.out.list(await windowed(this.flags, page, 200), approvalView)
  }
}
