import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { secret } from '../../input.ts'
import { readBrought } from '../../integrations/brought.ts'
import { credentialId } from '../../lookup.ts'

export default class OauthExchange extends ApiCommand<typeof OauthExchange> {
  static override summary = 'Finish signing in with the code that the browser brought'
  static override description =
    'Takes the code, or the whole address that the browser ended at, from standard input or a prompt without echo.'
  static override examples = [
    '$ <%= config.bin %> oauth exchange notes',
    '$ pbpaste | <%= config.bin %> oauth exchange notes --code-stdin',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = {
    'code-stdin': Flags.boolean({ description: 'read the code from standard input (default without a terminal)' }),
    redirect: Flags.string({ helpValue: 'URL', description: 'address that the browser came back to, with a verifier' }),
    verifier: Flags.string({
      helpValue: 'FILE',
      description: 'file with a PKCE verifier of your own, for a flow of your own',
    }),
  }

  async run(): Promise<void> {
    const credential_id = await credentialId(this.api, this.args.credential)
    const brought = readBrought(await secret('Code or address', { piped: this.flags['code-stdin'] }))
    const { redirect, verifier } = this.flags
    const code_verifier = verifier === undefined ? undefined : (await verifierIn(verifier)).trim()
    const handed = this.api.oauth.exchange({
      body: given({ credential_id, ...brought, redirect_uri: redirect, code_verifier }),
    })
    const done = await this.progress('Handing over the code', handed)
    await this.out.done(`Signed in for ${this.args.credential}.`, done, {
      name: () => this.args.credential,
      columns: { Status: ({ status }) => status, Credential: (it) => it.credential_id },
    })
  }
}

async function verifierIn(file: string): Promise<string> {
  const { readFileSync } = await import('node:fs')
  return readFileSync(file, 'utf8')
}
