import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { limited, listFlags } from '../../flags.ts'
import { webhookView } from '../../views/webhooks.ts'

export default class WebhooksList extends ApiCommand<typeof WebhooksList> {
  static override summary = 'List webhooks of routines'
  static override examples = ['$ <%= config.bin %> webhooks list']
  static override flags = listFlags

  async run(): Promise<void> {
    const found = await this.api.webhooks.list({ workspaceId: workspaceInUse(this.session) })
    await this.out.list(limited(found, this.flags), webhookView)
  }
}
