import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { channelView } from '../../views/channels.ts'

export default class ChannelsList extends ApiCommand<typeof ChannelsList> {
  static override summary = 'List the channels of the workspace and your own, newest first'
  static override examples = ['$ <%= config.bin %> channels', '$ <%= config.bin %> channels list --everybody']
  static override flags = {
    ...listFlags,
    everybody: Flags.boolean({ description: 'those of other members too, without their addresses; for an ADMIN' }),
  }

  async run(): Promise<void> {
    const query = this.flags.everybody ? { scope: 'all' } : {}
    const { channels } = await this.api.channels.list({ query })
    await this.out.list(limited(channels, this.flags), channelView)
  }
}
