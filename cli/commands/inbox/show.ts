import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { inboxView } from '../../views/inbox.ts'

export default class InboxShow extends ApiCommand<typeof InboxShow> {
  static override summary = 'Show an inbox item'
  static override examples = [
    '$ <%= config.bin %> inbox show ibx_escalation_c0mjuohs005e6fu6qxd87qvyr',
    '$ <%= config.bin %> inbox show ITEM --jq .payload',
  ]
  static override args = { item: Args.string({ required: true, description: 'id of the item' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.inbox.show({ itemId: this.args.item }), inboxView)
  }
}
