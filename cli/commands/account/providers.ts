import { ApiCommand } from '../../command.ts'
import { idpView } from '../../views/idp.ts'

export default class AccountProviders extends ApiCommand<typeof AccountProviders> {
  static override summary = 'Show whether the server offers an identity provider'
  static override hiddenAliases = ['idp:status']
  static override examples = [
    '$ <%= config.bin %> account providers',
    '$ <%= config.bin %> account providers --jq .enabled',
  ]

  async run(): Promise<void> {
    await this.out.show(await this.api.idp.status(), idpView)
  }
}
