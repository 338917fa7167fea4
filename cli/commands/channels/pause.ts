import { channelArg, channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'

export default class ChannelsPause extends ApiCommand<typeof ChannelsPause> {
  static override summary = 'Send nothing through a channel for now'
  static override result = { of: ['channels.update'] }
  static override examples = ['$ <%= config.bin %> channels pause slack']
  static override args = channelArg

  async run(): Promise<void> {
    const id = await channelId(this.api, this.args.channel)
    const reply = await this.api.channels.update({ channelId: id, body: { enabled: false } })
    await this.out.done(`Paused channel ${this.args.channel}.`, reply)
  }
}
