import { Args } from '@oclif/core'
import { channelArg, channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'

export default class ChannelsDeny extends ApiCommand<typeof ChannelsDeny> {
  static override summary = 'No longer let an agent send through a channel'
  static override examples = ['$ <%= config.bin %> channels deny slack ada']
  static override args = {
    ...channelArg,
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
  }

  async run(): Promise<void> {
    const id = await channelId(this.api, this.args.channel)
    const agent_id = await agentId(this.api, this.args.agent)
    const reply = await this.api.channels.deny({ channelId: id, agentId: agent_id })
    await this.out.done(`${this.args.agent} may no longer send through ${this.args.channel}.`, reply)
  }
}
