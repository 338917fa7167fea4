import { channelArg, channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'

export default class ChannelsResume extends ApiCommand<typeof ChannelsResume> {
  static override summary = 'Send through a channel again'
  static override result = { of: ['channels.update'] }
  static override examples = ['$ <%= config.bin %> channels resume slack']
  static override args = channelArg

  async run(): Promise<void> {
    const id = await channelId(this.api, this.args.channel)
    const reply = await this.api.channels.update({ channelId: id, body: { enabled: true } })
    await this.out.done(`Resumed channel ${this.args.channel}.`, reply)
  }
}
