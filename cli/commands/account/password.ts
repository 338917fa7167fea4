import { ApiCommand } from '../../command.ts'
import { InputError, interactive, newPassword, secret, stdinText } from '../../input.ts'

export default class AccountPassword extends ApiCommand<typeof AccountPassword> {
  static override summary = 'Change your password'
  static override description =
    'Asks for the current password and the new one; without a terminal it reads them from two lines of standard ' +
    'input, in this order. All browsers are signed out; tokens stay valid.'
  static override hiddenAliases = ['users:password']
  static override examples = [
    '$ <%= config.bin %> account password',
    '$ printf \'%s\\n\' "$OLD" "$NEW" | <%= config.bin %> account password',
  ]
  static override next = {
    wrong_password: 'try again; too many wrong guesses lock the account for a while',
    account_locked: 'wait a few minutes; the count then starts again',
    common_password: 'choose a less common one, such as a few unrelated words',
  }

  async run(): Promise<void> {
    const body = interactive() ? await asked() : await piped()
    const reply = await this.progress('Changing the password', this.api.users.password({ body }))
    const { sessions_revoked: count } = reply
    const ended = count === 0 ? '' : ` ${count} browser session${count === 1 ? ' was' : 's were'} signed out.`
    await this.out.done(`Your password is changed.${ended}`, reply)
  }
}

interface Passwords {
  current_password: string
  new_password: string
}

async function asked(): Promise<Passwords> {
  const current_password = await secret('Your current password')
  return { current_password, new_password: await newPassword('The new password') }
}

async function piped(): Promise<Passwords> {
  const lines = (await stdinText()).split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const [current_password, new_password] = lines
  if (!current_password || !new_password || lines.length !== 2)
    throw new InputError(
      'Two lines are expected on standard input: the current password, then the new one.',
      "printf '%s\\n' OLD NEW | muster account password",
    )
  return { current_password, new_password }
}
