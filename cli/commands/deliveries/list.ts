import { Flags } from '@oclif/core'
import { deliveryStatuses, notificationCategories } from '#client/words'
import { channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { given, listFlags, onePage } from '../../flags.ts'
import { deliveryView } from '../../views/deliveries.ts'

export default class DeliveriesList extends ApiCommand<typeof DeliveriesList> {
  static override summary = 'List what channels were to take, newest first, with what became of it'
  static override description = 'The server shows the newest 500 at most; --status, --channel and --category choose.'
  static override examples = [
    '$ <%= config.bin %> deliveries',
    '$ <%= config.bin %> deliveries list --status failed --json=title,error',
  ]
  static override flags = {
    ...listFlags,
    status: Flags.option({ options: deliveryStatuses, description: 'only those of this status' })(),
    channel: Flags.string({ description: 'only those through this channel' }),
    category: Flags.option({ options: notificationCategories, description: 'only those of this category' })(),
  }

  async run(): Promise<void> {
    const { status, channel, category } = this.flags
    const channel_id = channel === undefined ? undefined : await channelId(this.api, channel)
    const query = given<{ status?: string; channel_id?: string; category?: string }>({ status, channel_id, category })
    const { deliveries } = await this.api.deliveries.list({ query: { ...query, ...onePage(this.flags, 500) } })
    await this.out.list(deliveries, deliveryView)
  }
}
