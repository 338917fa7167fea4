import { kindFlags, valueFlag } from '../../bodies/credentials.ts'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { given } from '../../flags.ts'
import { InputError, secret } from '../../input.ts'
import { testView } from '../../views/credentials.ts'

export default class CredentialsCheck extends ApiCommand<typeof CredentialsCheck> {
  static override summary = 'Test a value with its provider, without storing it'
  static override description = 'Exits with 1 if the provider refuses the value or cannot be reached.'
  static override examples = ['$ <%= config.bin %> credentials check --type API_KEY --provider ANTHROPIC < key.txt']
  static override flags = { ...valueFlag, ...kindFlags }

  async run(): Promise<void> {
    const { type, provider } = this.flags
    if (!provider) throw new InputError('--provider is missing.', 'muster credentials check --provider ANTHROPIC')
    const value = await secret('Value to check', { piped: this.flags['value-stdin'] })
    const result = await this.progress(
      'Asking the provider',
      this.api.credentials.check({ body: given({ value, provider, type }) }),
    )
    await this.out.show(result, testView)
    if (!result.valid) this.finish(exits.other)
  }
}
