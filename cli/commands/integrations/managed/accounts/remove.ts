import { Args } from '@oclif/core'
import { ApiCommand } from '../../../../command.ts'
import { yesFlag } from '../../../../flags.ts'
import { confirm } from '../../../../input.ts'

export default class IntegrationsManagedAccountsRemove extends ApiCommand<typeof IntegrationsManagedAccountsRemove> {
  static override summary = 'Delete a connected account at the provider'
  static override hiddenAliases = ['managed:remove-account']
  static override examples = ['$ <%= config.bin %> integrations managed accounts remove ACCOUNT']
  static override args = {
    account: Args.string({ required: true, description: 'account at the provider, as the inventory shows it' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    await confirm(`Delete account ${this.args.account}?`, this.flags.yes)
    await this.api.managed.removeAccount({ accountId: this.args.account })
    await this.out.done(`Deleted account ${this.args.account}.`, { id: this.args.account })
  }
}
