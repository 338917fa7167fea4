import { channelArg, channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { channelAgentView } from '../../views/channels.ts'

export default class ChannelsAgents extends ApiCommand<typeof ChannelsAgents> {
  static override summary = 'List the agents that may send through a channel'
  static override examples = ['$ <%= config.bin %> channels agents slack']
  static override args = channelArg
  static override flags = listFlags

  async run(): Promise<void> {
    const id = await channelId(this.api, this.args.channel)
    const { agents } = await this.api.channels.agents({ channelId: id })
    await this.out.list(limited(agents, this.flags), channelAgentView)
  }
}
