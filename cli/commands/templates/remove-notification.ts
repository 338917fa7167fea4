import { Args, Flags } from '@oclif/core'
import { notificationCategories } from '#client/words'
import { channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class TemplatesRemoveNotification extends ApiCommand<typeof TemplatesRemoveNotification> {
  static override summary = 'Tell a category in its usual words again'
  static override examples = ['$ <%= config.bin %> templates remove-notification issues.created --yes']
  static override args = {
    category: Args.string({ required: true, options: [...notificationCategories], description: 'what is told of' }),
  }
  static override flags = {
    channel: Flags.string({ description: 'the template of this channel; that of every channel unless given' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { channel } = this.flags
    const category = this.args.category as (typeof notificationCategories)[number]
    await this.confirm(`Remove the template of ${category}?`)
    const channel_id = channel === undefined ? {} : { channel_id: await channelId(this.api, channel) }
    await this.api.templates.removeNotification({ query: { category, ...channel_id } })
    await this.out.done(`Removed the template of ${category}.`)
  }
}
