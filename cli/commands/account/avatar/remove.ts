import { ApiCommand } from '../../../command.ts'
import { yesFlag } from '../../../flags.ts'
import { userView } from '../../../views/users.ts'

export default class AccountAvatarRemove extends ApiCommand<typeof AccountAvatarRemove> {
  static override summary = 'Remove your picture'
  static override hiddenAliases = ['users:remove-avatar']
  static override examples = ['$ <%= config.bin %> account avatar remove --yes']
  static override flags = yesFlag

  async run(): Promise<void> {
    await this.confirm('Remove your picture?')
    await this.out.done('Your picture is removed.', await this.api.users.removeAvatar(), userView)
  }
}
