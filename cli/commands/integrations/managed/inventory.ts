import { ApiCommand } from '../../../command.ts'
import { limited, listFlags } from '../../../flags.ts'
import { accountView } from '../../../views/managed.ts'

export default class IntegrationsManagedInventory extends ApiCommand<typeof IntegrationsManagedInventory> {
  static override summary = 'List the accounts that users of the provider have connected'
  static override hiddenAliases = ['managed:inventory']
  static override examples = ['$ <%= config.bin %> integrations managed inventory']
  static override flags = listFlags

  async run(): Promise<void> {
    const { users } = await this.api.managed.inventory({})
    const accounts = users.flatMap(({ connected_accounts }) => connected_accounts)
    await this.out.list(limited(accounts, this.flags), accountView)
  }
}
