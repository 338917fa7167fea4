import { Args } from '@oclif/core'
import { credentialBody, credentialFlags, valueFlag } from '../../bodies/credentials.ts'
import { ApiCommand } from '../../command.ts'
import { secret } from '../../input.ts'
import { credentialView } from '../../views/credentials.ts'

export default class CredentialsCreate extends ApiCommand<typeof CredentialsCreate> {
  static override summary = 'Store a credential'
  static override description =
    'The value is read from standard input or prompted for without echo: on the command line others could read ' +
    'it. It is stored encrypted and never shown again.'
  static override examples = [
    '$ <%= config.bin %> credentials create main --type API_KEY --provider ANTHROPIC',
    '$ printf %s "$ANTHROPIC_API_KEY" | <%= config.bin %> credentials create main --type API_KEY --provider ' +
      'ANTHROPIC --value-stdin',
    '$ <%= config.bin %> credentials create deploy-key --type SECRET --crew web-team < key.txt',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the credential' }) }
  static override flags = { ...valueFlag, ...credentialFlags }

  async run(): Promise<void> {
    const { name } = this.args
    const body = await credentialBody(this.api, this.flags)
    const value = await secret(`Value of ${name}`, { piped: this.flags['value-stdin'] })
    const credential = await this.api.credentials.create({ body: { ...body, name, value } })
    await this.out.done(`Stored credential ${credential.name}.`, credential, credentialView)
  }
}
