import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'

export default class IntegrationsManagedConnect extends ApiCommand<typeof IntegrationsManagedConnect> {
  static override summary = 'Connect an account of a service, for a user of the provider'
  static override description = 'Says the address at which the account is connected in a browser.'
  static override hiddenAliases = ['managed:connect']
  static override examples = ['$ <%= config.bin %> integrations managed connect gmail ada']
  static override args = {
    toolkit: Args.string({ required: true, description: 'slug of the toolkit' }),
    user: Args.string({ required: true, description: 'user of the provider; a new name makes a new one' }),
  }

  async run(): Promise<void> {
    const { toolkit, user } = this.args
    const link = await this.api.managed.connect({ body: { toolkit, user_id: user } })
    await this.out.done(`Open ${link.redirect_url} to connect the account.`, link)
  }
}
