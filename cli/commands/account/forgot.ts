import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { ask, emailFlaw, InputError, interactive } from '../../input.ts'

export default class AccountForgot extends ApiCommand<typeof AccountForgot> {
  static override summary = 'Request a mail that lets you replace a forgotten password'
  static override description =
    'The server answers the same whether the address has an account or not. A server without mail does nothing; ' +
    'its operator can use `muster admin reset-password`.'
  static override hiddenAliases = ['accounts:forgot']
  static override examples = [
    '$ <%= config.bin %> account forgot ada@example.com',
    '$ <%= config.bin %> account forgot -s https://muster.example.com',
  ]
  static override args = { email: Args.string({ description: 'email address of the account' }) }

  async run(): Promise<void> {
    const email = this.args.email ?? (await this.address())
    const answer = await this.api.accounts.forgot({ body: { email } })
    await this.out.done(answer.message, answer)
    this.out.note('Next: muster account reset, with the token from the mail', 'dim')
  }

  private async address(): Promise<string> {
    if (!interactive()) throw new InputError('EMAIL is missing.', 'muster account forgot ADDRESS')
    return ask('Address of the account', emailFlaw)
  }
}
