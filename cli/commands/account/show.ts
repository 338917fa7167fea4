import { ApiCommand } from '../../command.ts'
import { userView } from '../../views/users.ts'

export default class AccountShow extends ApiCommand<typeof AccountShow> {
  static override summary = 'Show the signed-in user'
  static override hiddenAliases = ['users:me']
  static override examples = ['$ <%= config.bin %> account show', '$ <%= config.bin %> account show --jq .email']

  async run(): Promise<void> {
    await this.out.show(await this.api.users.me(), userView)
  }
}
