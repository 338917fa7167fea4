import { draftArgs, draftBody, draftFlags } from '../../channels/draft.ts'
import { ApiCommand } from '../../command.ts'

export default class ChannelsTestDraft extends ApiCommand<typeof ChannelsTestDraft> {
  static override summary = 'Send a test message without storing a channel'
  static override examples = ['$ <%= config.bin %> channels test-draft ntfy --field topic=muster-7f3k']
  static override next = { delivery_failed: 'muster channels providers' }
  static override args = draftArgs
  static override flags = draftFlags

  async run(): Promise<void> {
    const body = await draftBody(this.api, this.args.kind, this.flags)
    const reply = await this.api.channels.testDraft({ body })
    await this.out.done('Sent a test message.', reply)
  }
}
