import { Args } from '@oclif/core'
import { credentialBody, credentialFlags, oauthBody, oauthFlags, valueFlag } from '../../bodies/credentials.ts'
import { ApiCommand } from '../../command.ts'
import { secret } from '../../input.ts'
import { credentialView } from '../../views/credentials.ts'

export default class CredentialsCreate extends ApiCommand<typeof CredentialsCreate> {
  static override summary = 'Store a credential'
  static override description =
    'The value is read from standard input or prompted for without echo: on the command line others could read ' +
    'it. It is stored encrypted and never shown again. The tokens of OAUTH2 come with a sign-in: muster oauth initiate.'
  static override examples = [
    '$ <%= config.bin %> credentials create main --type API_KEY --provider ANTHROPIC',
    '$ printf %s "$ANTHROPIC_API_KEY" | <%= config.bin %> credentials create main --type API_KEY --provider ' +
      'ANTHROPIC --value-stdin',
    '$ <%= config.bin %> credentials create deploy-key --type SECRET --crew web-team < key.txt',
    '$ <%= config.bin %> credentials create notes --type OAUTH2 --client-id 4711 --auth-url ' +
      'https://idp.example/authorize --token-url https://idp.example/token',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the credential' }) }
  static override flags = { ...valueFlag, ...credentialFlags, ...oauthFlags }

  async run(): Promise<void> {
    const { name } = this.args
    const body = await credentialBody(this.api, this.flags)
    const oauth = await oauthBody(this.flags)
    const value =
      this.flags.type === 'OAUTH2' ? '' : await secret(`Value of ${name}`, { piped: this.flags['value-stdin'] })
    const credential = await this.api.credentials.create({ body: { ...body, ...oauth, name, value } })
    await this.out.done(`Stored credential ${credential.name}.`, credential, credentialView)
  }
}
