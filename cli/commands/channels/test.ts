import { channelArg, channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'

export default class ChannelsTest extends ApiCommand<typeof ChannelsTest> {
  static override summary = 'Send a test message through a channel'
  static override examples = ['$ <%= config.bin %> channels test slack']
  static override next = { delivery_failed: 'muster channels list' }
  static override args = channelArg

  async run(): Promise<void> {
    const id = await channelId(this.api, this.args.channel)
    const reply = await this.api.channels.test({ channelId: id })
    await this.out.done(`Sent a test message through ${this.args.channel}.`, reply)
  }
}
