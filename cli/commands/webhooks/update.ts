import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { webhookView } from '../../views/webhooks.ts'
import { membersIn, webhookCalled, webhookFlags } from '../../webhooks/flags.ts'

export default class WebhooksUpdate extends ApiCommand<typeof WebhooksUpdate> {
  static override summary = 'Change a webhook'
  static override examples = ['$ <%= config.bin %> webhooks update push --rate 60']
  static override args = { webhook: Args.string({ required: true, description: 'name of the webhook' }) }
  static override flags = {
    name: Flags.string({ description: 'another name' }),
    routine: Flags.string({ description: 'slug of another routine' }),
    ...webhookFlags,
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id } = await webhookCalled(this.api, workspaceId, this.args.webhook)
    const { name, routine } = this.flags
    const named = given<{ name?: string; target_pipeline_slug?: string }>({ name, target_pipeline_slug: routine })
    const body = { ...named, ...(await membersIn(this.flags)) }
    const row = await this.api.webhooks.update({ workspaceId, webhookId: id, body })
    await this.out.done(`Changed webhook ${row.name}.`, row, webhookView)
  }
}
