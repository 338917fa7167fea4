import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { templateView } from '../../views/notifications.ts'

export default class TemplatesNotifications extends ApiCommand<typeof TemplatesNotifications> {
  static override summary = 'List the templates of notifications'
  static override examples = ['$ <%= config.bin %> templates notifications']
  static override flags = listFlags

  async run(): Promise<void> {
    const { templates } = await this.api.templates.notifications()
    await this.out.list(limited(templates, this.flags), templateView)
  }
}
