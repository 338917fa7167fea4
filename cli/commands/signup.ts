import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { travelsOpenly } from '../contexts/sign-in.ts'
import { ask, emailFlaw, emptyFlaw, InputError, interactive, newPassword } from '../input.ts'

export default class Signup extends ApiCommand<typeof Signup> {
  static override summary = 'Create an account on a server that allows it'
  static override description =
    'The answer is the same whether or not the address was free, so that nobody learns who has an account. Open ' +
    'invitations to the address are accepted at once. The password is prompted for without echo, or read from ' +
    'standard input.'
  static override hiddenAliases = ['accounts:create']
  static override examples = [
    '$ <%= config.bin %> signup -s https://muster.example.com',
    '$ <%= config.bin %> signup --email ada@example.com --name "Ada Lovelace" < password.txt',
  ]
  static override next = { signup_disabled: 'ask an admin of the server for an invitation or an account' }
  static override flags = {
    email: Flags.string({ description: 'your email address' }),
    name: Flags.string({ description: 'your full name' }),
    'password-stdin': Flags.boolean({
      description: 'read the password from standard input (default without a terminal)',
    }),
  }

  async run(): Promise<void> {
    const { target } = this.session
    if (travelsOpenly(target)) throw new InputError(`${target.key} is not encrypted: a password must not travel to it.`)
    const email = await this.given('email', 'Your email address')
    const full_name = await this.given('name', 'Your full name')
    const password = await newPassword('Your password', { piped: this.flags['password-stdin'] })
    const answer = await this.progress('Signing up', this.api.accounts.create({ body: { full_name, email, password } }))
    await this.out.done(answer.message, answer)
    this.out.note(`Next: muster login -s ${target.key}`, 'dim')
  }

  private async given(flag: 'email' | 'name', question: string): Promise<string> {
    const value = this.flags[flag]
    if (value !== undefined) return value
    if (!interactive())
      throw new InputError(`--${flag} is missing.`, 'muster signup --email ADDRESS --name NAME < password.txt')
    return ask(question, flag === 'email' ? emailFlaw : emptyFlaw)
  }
}
