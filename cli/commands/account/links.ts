import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { linkView } from '../../views/idp.ts'

export default class AccountLinks extends ApiCommand<typeof AccountLinks> {
  static override summary = 'List the identity provider accounts that sign in as you'
  static override hiddenAliases = ['idp:links']
  static override examples = [
    '$ <%= config.bin %> account links',
    '$ <%= config.bin %> account links --json=id,provider,email',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    await this.out.list(limited(await this.api.idp.links(), this.flags), linkView)
  }
}
