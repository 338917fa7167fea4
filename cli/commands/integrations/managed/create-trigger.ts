import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { given } from '../../../flags.ts'
import { fileOr, jsonIn } from '../../../input.ts'

export default class IntegrationsManagedCreateTrigger extends ApiCommand<typeof IntegrationsManagedCreateTrigger> {
  static override summary = 'Create or enable a trigger for a user of the provider'
  static override hiddenAliases = ['managed:create-trigger']
  static override examples = ['$ <%= config.bin %> integrations managed create-trigger GMAIL_NEW_MESSAGE ada']
  static override args = {
    slug: Args.string({ required: true, description: 'kind of the trigger' }),
    user: Args.string({ required: true, description: 'user of the provider' }),
  }
  static override flags = { config: Flags.string({ helpValue: 'JSON|@FILE', description: 'settings of the trigger' }) }

  async run(): Promise<void> {
    const { slug, user } = this.args
    const config = this.flags.config === undefined ? undefined : jsonIn('config', fileOr(this.flags.config))
    const body = { slug, user_id: user, ...given({ config: config as Record<string, unknown> | undefined }) }
    const made = await this.api.managed.createTrigger({ body })
    await this.out.done(`Created trigger ${made.trigger.trigger_id}.`, made)
  }
}
