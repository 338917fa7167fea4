import { Args } from '@oclif/core'
import { ApiCommand } from '../../../../command.ts'

export default class IntegrationsManagedAccountsRefresh extends ApiCommand<typeof IntegrationsManagedAccountsRefresh> {
  static override summary = 'Have the credentials of a connected account refreshed'
  static override hiddenAliases = ['managed:refresh-account']
  static override examples = ['$ <%= config.bin %> integrations managed accounts refresh ACCOUNT']
  static override args = {
    account: Args.string({ required: true, description: 'account at the provider, as the inventory shows it' }),
  }

  async run(): Promise<void> {
    await this.api.managed.refreshAccount({ accountId: this.args.account })
    await this.out.done(`Refreshed account ${this.args.account}.`, { id: this.args.account })
  }
}
