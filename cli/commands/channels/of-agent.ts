import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { agentChannelView } from '../../views/channels.ts'

export default class ChannelsOfAgent extends ApiCommand<typeof ChannelsOfAgent> {
  static override summary = 'List the channels that an agent may send through'
  static override examples = ['$ <%= config.bin %> channels of-agent ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const agent = await agentId(this.api, this.args.agent)
    const { channels } = await this.api.channels.ofAgent({ agentId: agent })
    await this.out.list(limited(channels, this.flags), agentChannelView)
  }
}
