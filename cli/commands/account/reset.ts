import { ApiCommand } from '../../command.ts'
import { travelsOpenly } from '../../contexts/sign-in.ts'
import { InputError, interactive, newPassword, secret, stdinText } from '../../input.ts'

export default class AccountReset extends ApiCommand<typeof AccountReset> {
  static override summary = 'Set a new password with the token from the mail'
  static override description =
    'Token and password are asked for, or read from standard input: the token on the first line, the password on ' +
    'the second. The whole link is accepted in place of the token. All browsers are signed out; CLI tokens stay ' +
    'valid.'
  static override hiddenAliases = ['accounts:reset']
  static override examples = [
    '$ <%= config.bin %> account reset -s https://muster.example.com',
    '$ <%= config.bin %> account reset < token-and-password.txt',
  ]
  static override next = {
    invalid_token: 'muster account forgot, which sends a new token; each works once, for 30 minutes',
  }

  async run(): Promise<void> {
    const { target } = this.session
    if (travelsOpenly(target)) throw new InputError(`${target.key} is not encrypted: a password must not travel to it.`)
    const { token, new_password } = interactive() ? await this.asked() : await this.piped()
    const answer = await this.progress(
      'Setting the password',
      this.api.accounts.reset({ body: { token, new_password } }),
    )
    await this.out.done('The password is set, and every browser is signed out.', answer)
    this.out.note(`Next: muster login -s ${target.key}`, 'dim')
  }

  private async asked() {
    const token = tokenOf(await secret('Token from the mail'))
    return { token, new_password: await newPassword('New password') }
  }

  private async piped() {
    const [token = '', given = ''] = (await stdinText()).split(/\r?\n/)
    if (!token || !given)
      throw new InputError('Standard input must hold the token on its first line and the new password on its second.')
    return { token: tokenOf(token), new_password: await newPassword('New password', { given }) }
  }
}

/** The token in a link, or what was given. */
function tokenOf(given: string): string {
  const text = given.trim()
  return (URL.canParse(text) && new URL(text).searchParams.get('token')) || text
}
