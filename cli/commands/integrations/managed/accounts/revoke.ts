import { Args } from '@oclif/core'
import { ApiCommand } from '../../../../command.ts'
import { yesFlag } from '../../../../flags.ts'
import { confirm } from '../../../../input.ts'

export default class IntegrationsManagedAccountsRevoke extends ApiCommand<typeof IntegrationsManagedAccountsRevoke> {
  static override summary = 'Withdraw the authorization of a connected account'
  static override hiddenAliases = ['managed:revoke-account']
  static override examples = ['$ <%= config.bin %> integrations managed accounts revoke ACCOUNT']
  static override args = {
    account: Args.string({ required: true, description: 'account at the provider, as the inventory shows it' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    await confirm(`Revoke account ${this.args.account}?`, this.flags.yes)
    await this.api.managed.revokeAccount({ accountId: this.args.account })
    await this.out.done(`Revoked account ${this.args.account}.`, { id: this.args.account })
  }
}
