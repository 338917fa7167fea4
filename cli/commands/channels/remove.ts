import { channelArg, channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class ChannelsRemove extends ApiCommand<typeof ChannelsRemove> {
  static override summary = 'Delete a channel'
  static override examples = ['$ <%= config.bin %> channels remove slack --yes']
  static override args = channelArg
  static override flags = yesFlag

  async run(): Promise<void> {
    const id = await channelId(this.api, this.args.channel)
    await this.confirm(`Delete channel ${this.args.channel}?`)
    const gone = await this.api.channels.remove({ channelId: id })
    await this.out.done(`Deleted channel ${this.args.channel}.`, gone)
  }
}
