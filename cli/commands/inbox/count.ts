import { ApiCommand } from '../../command.ts'

export default class InboxCount extends ApiCommand<typeof InboxCount> {
  static override summary = 'Count your unread inbox items'
  static override examples = ['$ <%= config.bin %> inbox count', 'PS1="$(<%= config.bin %> inbox count -q) $PS1"']

  async run(): Promise<void> {
    const count = await this.api.inbox.count()
    await this.out.show(count, {
      name: ({ unread_count }) => String(unread_count),
      columns: { Unread: ({ unread_count }) => unread_count },
    })
  }
}
