import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { webhookView } from '../../views/webhooks.ts'
import { webhookCalled } from '../../webhooks/flags.ts'

export default class WebhooksEnable extends ApiCommand<typeof WebhooksEnable> {
  static override summary = 'Enable a webhook'
  static override result = { of: ['webhooks.update'] }
  static override examples = ['$ <%= config.bin %> webhooks enable push']
  static override args = { webhook: Args.string({ required: true, description: 'name of the webhook' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id } = await webhookCalled(this.api, workspaceId, this.args.webhook)
    const row = await this.api.webhooks.update({ workspaceId, webhookId: id, body: { enabled: true } })
    await this.out.done(`Enabled webhook ${row.name}.`, row, webhookView)
  }
}
