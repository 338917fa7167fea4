import { ApiCommand } from '../../../command.ts'
import { twoFactorView } from '../../../views/totp.ts'

export default class TwoFactorStatus extends ApiCommand<typeof TwoFactorStatus> {
  static override summary = 'Show whether your account has a second factor'
  static override hiddenAliases = ['totp:show']
  static override examples = [
    '$ <%= config.bin %> account 2fa status',
    '$ <%= config.bin %> account 2fa status --jq .recovery_codes_left',
  ]

  async run(): Promise<void> {
    const state = await this.api.totp.show()
    await this.out.show(state, twoFactorView)
    if (state.enabled && state.recovery_codes_left < 3)
      this.out.note('Only a few recovery codes are left. Next: muster account 2fa codes', 'yellow')
    if (!state.enabled && state.required_by.length)
      this.out.note('You cannot enter these workspaces without one. Next: muster account 2fa on', 'yellow')
  }
}
