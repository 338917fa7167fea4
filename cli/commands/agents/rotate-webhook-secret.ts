import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'

export default class AgentsRotateWebhookSecret extends ApiCommand<typeof AgentsRotateWebhookSecret> {
  static override summary = 'Give an agent a new webhook secret'
  static override description =
    'Writes the secret to standard output; it is shown only once. Whoever signs with the old one is refused at once.'
  static override examples = [
    '$ <%= config.bin %> agents rotate-webhook-secret ada',
    '$ <%= config.bin %> agents rotate-webhook-secret ada > secret.txt',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const { agent } = this.args
    const made = await this.api.agents.rotateWebhookSecret({ agentId: await agentId(this.api, agent) })
    this.out.note(
      `The old webhook secret of ${agent} is refused from now on. The new one is shown this once:`,
      'yellow',
    )
    if (this.out.wanted.format !== 'auto' && this.out.wanted.format !== 'name') return this.out.value(made)
    this.out.text(`${made.webhook_secret}\n`)
  }
}
