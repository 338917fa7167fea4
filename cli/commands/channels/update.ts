import { Flags } from '@oclif/core'
import { channelArg, channelId, takingFlags } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'

export default class ChannelsUpdate extends ApiCommand<typeof ChannelsUpdate> {
  static override summary = 'Change what a channel takes'
  static override examples = [
    '$ <%= config.bin %> channels update slack --category agents.approval --category agents.escalation',
    '$ <%= config.bin %> channels update slack --all-categories --min-priority high',
  ]
  static override args = channelArg
  static override flags = {
    ...takingFlags,
    'all-categories': Flags.boolean({ description: 'whatever the category', exclusive: ['category'] }),
  }

  async run(): Promise<void> {
    const { category, event } = this.flags
    const categories = this.flags['all-categories'] ? [] : category
    const priority = this.flags['min-priority']
    if (!categories && !priority && !event) throw new InputError('Say what to change.', 'muster channels update --help')
    const id = await channelId(this.api, this.args.channel)
    const reply = await this.api.channels.update({
      channelId: id,
      body: {
        ...(categories && { categories }),
        ...(priority && { min_priority: priority }),
        ...(event && { events: event }),
      },
    })
    await this.out.done(`Changed channel ${this.args.channel}.`, reply)
  }
}
