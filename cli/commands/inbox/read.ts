import { ApiCommand } from '../../command.ts'
import { moveItems, moveOptions } from '../../inbox/move.ts'

export default class InboxRead extends ApiCommand<typeof InboxRead> {
  static override summary = 'Mark inbox items as read'
  static override result = { of: ['inbox.update', 'inbox.bulk'] }
  static override examples = ['$ <%= config.bin %> inbox read ITEM', '$ <%= config.bin %> inbox read --all']
  static override next = { source_managed: 'muster inbox show ITEM' }
  static override args = moveOptions.args
  static override flags = moveOptions.flags

  async run(): Promise<void> {
    const moved = await moveItems(this.api, this.args.items ?? [], this.flags, 'read')
    await this.out.done(moved.sentence, moved.reply)
    this.finish(moved.exit)
  }
}
