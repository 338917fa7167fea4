import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'
import { webhookCalled } from '../../webhooks/flags.ts'

export default class WebhooksRemove extends ApiCommand<typeof WebhooksRemove> {
  static override summary = 'Delete a webhook; its token is refused from then on'
  static override examples = ['$ <%= config.bin %> webhooks remove push --yes']
  static override args = { webhook: Args.string({ required: true, description: 'name of the webhook' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id, name } = await webhookCalled(this.api, workspaceId, this.args.webhook)
    await this.confirm(`Delete webhook ${name}?`)
    await this.api.webhooks.remove({ workspaceId, webhookId: id })
    await this.out.done(`Deleted webhook ${name}.`)
  }
}
