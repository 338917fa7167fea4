import { ApiCommand } from '../../../command.ts'
import { yesFlag } from '../../../flags.ts'
import { codeFlag, codeOf, passwordFlag, passwordOf, remedies } from '../../../two-factor/proof.ts'

export default class TwoFactorOff extends ApiCommand<typeof TwoFactorOff> {
  static override summary = 'Turn the second factor off'
  static override description =
    'Asks for your password and a code, which may be a recovery code. You can no longer enter workspaces that ' +
    'require a second factor.'
  static override hiddenAliases = ['totp:remove']
  static override examples = [
    '$ <%= config.bin %> account 2fa off',
    '$ <%= config.bin %> account 2fa off --yes --code 492039 < password.txt',
  ]
  static override next = remedies
  static override flags = { ...yesFlag, ...passwordFlag, ...codeFlag }

  async run(): Promise<void> {
    const { needs_password, enabled, required_by } = await this.api.totp.show()
    if (!enabled) return this.out.done('Your account has no second factor.')
    const names = required_by.map(({ slug }) => slug).join(', ')
    await this.confirm(`Turn the second factor off?${names && ` Until it is on again you cannot enter ${names}.`}`)
    const proof = await passwordOf(needs_password, this.session.target, this.flags['password-stdin'])
    const code = await codeOf(this.flags.code)
    await this.out.done(
      `Your second factor is off.${names && ` You cannot enter ${names} any more.`}`,
      await this.api.totp.remove({ body: { ...proof, code } }),
    )
  }
}
