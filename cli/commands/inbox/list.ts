import { ApiCommand } from '../../command.ts'
import { listFlags, listInbox } from '../../inbox/list.ts'

export default class InboxList extends ApiCommand<typeof InboxList> {
  static override summary = 'List what waits for you, newest first'
  static override description = 'Resolved items are left out unless --state asks for them.'
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
