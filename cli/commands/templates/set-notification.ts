import { Args, Flags } from '@oclif/core'
import { notificationCategories } from '#client/words'
import { channelId } from '../../channels/flags.ts'
import { ApiCommand } from '../../command.ts'
import { fileOr, InputError } from '../../input.ts'
import { templateView } from '../../views/notifications.ts'

export default class TemplatesSetNotification extends ApiCommand<typeof TemplatesSetNotification> {
  static override summary = 'Word what channels tell of a category'
  static override description =
    'Texts may name {{ vars.NAME }}, {{ source.title }}, {{ source.body }}, {{ source.category }} and ' +
    '{{ source.kind }}. What is left out, or comes out blank, is told as before. @FILE reads a text from a file.'
  static override examples = [
    "$ <%= config.bin %> templates set-notification issues.created --title 'New: {{ vars.identifier }}'",
  ]
  static override args = {
    category: Args.string({ required: true, options: [...notificationCategories], description: 'what is told of' }),
  }
  static override flags = {
    channel: Flags.string({ description: 'only through this channel' }),
    title: Flags.string({ description: 'the title' }),
    text: Flags.string({ description: 'the text' }),
  }

  async run(): Promise<void> {
    const { channel, title, text } = this.flags
    if (!title?.trim() && !text?.trim())
      throw new InputError('Give --title or --text.', 'muster templates remove-notification CATEGORY')
    const channel_id = channel === undefined ? {} : { channel_id: await channelId(this.api, channel) }
    const row = await this.api.templates.setNotification({
      body: {
        category: this.args.category as (typeof notificationCategories)[number],
        ...channel_id,
        ...(title !== undefined && { title: fileOr(title) }),
        ...(text !== undefined && { body: fileOr(text) }),
      },
    })
    await this.out.done(`Stored the template of ${row.category}.`, row, templateView)
  }
}
