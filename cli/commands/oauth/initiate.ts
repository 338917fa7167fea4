import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { credentialId } from '../../lookup.ts'
import { startedView } from '../../views/oauth.ts'

export default class OauthInitiate extends ApiCommand<typeof OauthInitiate> {
  static override summary = 'Begin to sign in for a credential of type OAUTH2'
  static override description =
    'Prints the address to open. The browser comes back to the server, or to --redirect, from where its code is ' +
    'handed over with muster oauth exchange.'
  static override examples = [
    '$ <%= config.bin %> oauth initiate notes',
    '$ <%= config.bin %> oauth initiate notes --redirect http://127.0.0.1:8765/callback',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = {
    redirect: Flags.string({ helpValue: 'URL', description: 'address on 127.0.0.1 that the browser comes back to' }),
  }

  async run(): Promise<void> {
    const credential_id = await credentialId(this.api, this.args.credential)
    const begun = this.api.oauth.initiate({ body: given({ credential_id, redirect_uri: this.flags.redirect }) })
    await this.out.show(await begun, startedView)
  }
}
