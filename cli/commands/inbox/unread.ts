import { ApiCommand } from '../../command.ts'
import { moveItems, moveOptions } from '../../inbox/move.ts'

export default class InboxUnread extends ApiCommand<typeof InboxUnread> {
  static override summary = 'Mark inbox items as unread'
  static override result = { of: ['inbox.update', 'inbox.bulk'] }
  static override examples = ['$ <%= config.bin %> inbox unread ITEM', '$ <%= config.bin %> inbox unread --all']
  static override next = { source_managed: 'muster inbox show ITEM' }
  static override args = moveOptions.args
  static override flags = moveOptions.flags

  async run(): Promise<void> {
    const moved = await moveItems(this.api, this.args.items ?? [], this.flags, 'unread')
    await this.out.done(moved.sentence, moved.reply)
    this.finish(moved.exit)
  }
}
