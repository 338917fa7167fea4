import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'

export default class CredentialsVariable extends ApiCommand<typeof CredentialsVariable> {
  static override summary = "Print the environment variable that a provider's programs read"
  static override examples = ['$ <%= config.bin %> credentials variable ANTHROPIC']
  static override args = {
    provider: Args.string({
      required: true,
      parse: async (text) => text.toUpperCase(),
      description: 'provider, such as ANTHROPIC',
    }),
  }

  async run(): Promise<void> {
    await this.out.show(await this.api.credentials.variable({ query: { provider: this.args.provider } }), {
      name: ({ env_var_name }) => env_var_name,
      columns: { Provider: ({ provider }) => provider, Variable: ({ env_var_name }) => env_var_name },
    })
  }
}
