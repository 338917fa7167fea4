import { ApiCommand } from '../../command.ts'
import { listFlags, listInbox } from '../../inbox/list.ts'

export default class InboxList extends ApiCommand<typeof InboxList> {
  static override summary = 'List inbox items, newest first'
  static override description = 'Omits resolved items unless --state includes them.'
  static override examples = [
    '$ <%= config.bin %> inbox list',
    '$ <%= config.bin %> inbox list --kind escalation --json=id,title',
    '$ <%= config.bin %> inbox list --state all',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    await listInbox(this.api, this.out, this.flags)
  }
}
