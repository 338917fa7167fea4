import { Flags } from '@oclif/core'
import { draftArgs, draftBody, draftFlags } from '../../channels/draft.ts'
import { called, takingFlags } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { channelView } from '../../views/channels.ts'

export default class ChannelsCreate extends ApiCommand<typeof ChannelsCreate> {
  static override summary = 'Create a channel for notifications'
  static override description =
    'At a terminal, what a service needs is asked for one by one, secrets unseen. What signs a webhook is shown once.'
  static override examples = [
    '$ <%= config.bin %> channels create email --to ada@example.com --personal',
    '$ <%= config.bin %> channels create webhook --url https://example.com/hook',
    '$ <%= config.bin %> channels create slack',
    '$ <%= config.bin %> channels create ntfy --field topic=muster-7f3k --min-priority high',
    '$ <%= config.bin %> channels create telegram --fields-file telegram.json',
  ]
  static override args = draftArgs
  static override flags = {
    ...draftFlags,
    personal: Flags.boolean({ description: 'for you alone' }),
    slug: Flags.string({ exclusive: ['personal'], description: 'what files of the workspace call it' }),
    ...takingFlags,
  }

  async run(): Promise<void> {
    const { personal, slug, category, event } = this.flags
    const draft = await draftBody(this.api, this.args.kind, this.flags)
    const made = await this.api.channels.create({
      body: {
        ...draft,
        ...given<{ personal?: boolean; slug?: string; categories?: string[]; events?: string[] }>({
          personal: personal || undefined,
          slug,
          categories: category,
          events: event,
        }),
        ...(this.flags['min-priority'] && { min_priority: this.flags['min-priority'] }),
      },
    })
    const { secret, ...channel } = made
    if (draft.type === 'webhook' && draft.secret === undefined && secret) {
      this.out.note(`Created channel ${called(made)}. What signs it is shown this once:`, 'yellow')
      if (this.out.wanted.format !== 'auto' && this.out.wanted.format !== 'name') return this.out.value(made)
      return this.out.text(`secret=${secret}\n`)
    }
    await this.out.done(`Created channel ${called(made)}.`, channel, channelView)
  }
}
