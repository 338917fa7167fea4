import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { membersIn, webhookFlags } from '../../webhooks/flags.ts'

export default class WebhooksCreate extends ApiCommand<typeof WebhooksCreate> {
  static override summary = 'Create a webhook for a routine'
  static override description =
    'Writes its token and its signing secret to standard output; they are shown only once. Other programs post to ' +
    '/api/v1/webhooks/TOKEN on this server.'
  static override examples = [
    '$ <%= config.bin %> webhooks create push --routine build --input "branch={{event.ref}}"',
    '$ <%= config.bin %> webhooks create push --routine build --json > webhook.json',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the webhook' }) }
  static override flags = {
    routine: Flags.string({ required: true, description: 'slug of the routine' }),
    ...webhookFlags,
    disabled: Flags.boolean({ description: 'do not take calls yet' }),
  }

  async run(): Promise<void> {
    const { routine, disabled } = this.flags
    const made = await this.api.webhooks.create({
      workspaceId: workspaceInUse(this.session),
      body: {
        name: this.args.name,
        target_pipeline_slug: routine,
        ...(await membersIn(this.flags)),
        ...given<{ enabled?: boolean }>({ enabled: disabled ? false : undefined }),
      },
    })
    this.out.note(`Created webhook ${made.name}. Its token and its signing secret are shown this once:`, 'yellow')
    if (this.out.wanted.format !== 'auto' && this.out.wanted.format !== 'name') return this.out.value(made)
    this.out.text(`token=${made.token}\nsecret=${made.signing_secret}\n`)
  }
}
