import { Args } from '@oclif/core'
import { channelArg, channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'

export default class ChannelsAllow extends ApiCommand<typeof ChannelsAllow> {
  static override summary = 'Let an agent send through a channel'
  static override examples = ['$ <%= config.bin %> channels allow slack ada']
  static override args = {
    ...channelArg,
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
  }

  async run(): Promise<void> {
    const id = await channelId(this.api, this.args.channel)
    const agent_id = await agentId(this.api, this.args.agent)
    const reply = await this.api.channels.allow({ channelId: id, body: { agent_id } })
    await this.out.done(`${this.args.agent} may send through ${this.args.channel}.`, reply)
  }
}
