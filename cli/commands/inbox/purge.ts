import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class InboxPurge extends ApiCommand<typeof InboxPurge> {
  static override summary = 'Delete all inbox items of the workspace'
  static override description = 'Keeps their sources: escalations and approvals can still be decided.'
  static override examples = ['$ <%= config.bin %> inbox purge', '$ <%= config.bin %> inbox purge --yes']
  static override flags = yesFlag

  async run(): Promise<void> {
    await this.confirm('Delete every item of this workspace’s inbox, for everybody?')
    const { deleted } = await this.api.inbox.purge({ query: {} })
    await this.out.done(`Deleted ${deleted} ${deleted === 1 ? 'item' : 'items'}.`, { deleted })
  }
}
