import { ApiCommand } from '../../command.ts'
import { moveItems, moveOptions } from '../../inbox/move.ts'

export default class InboxResolve extends ApiCommand<typeof InboxResolve> {
  static override summary = 'Resolve inbox items for everybody'
  static override hiddenAliases = ['inbox:update', 'inbox:bulk']
  static override examples = ['$ <%= config.bin %> inbox resolve ITEM', '$ <%= config.bin %> inbox resolve --all']
  static override next = { source_managed: 'muster inbox show ITEM' }
  static override args = moveOptions.args
  static override flags = moveOptions.flags

  async run(): Promise<void> {
    const moved = await moveItems(this.api, this.args.items ?? [], this.flags, 'resolved')
    await this.out.done(moved.sentence, moved.reply)
    this.finish(moved.exit)
  }
}
