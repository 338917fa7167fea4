import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { credentialId } from '../../lookup.ts'
import { startedView } from '../../views/oauth.ts'

export default class OauthLoopback extends ApiCommand<typeof OauthLoopback> {
  static override summary = 'Begin to sign in with a browser on the machine of the server'
  static override description =
    'The browser comes back to a port of that machine, which is open for 120 seconds. From another machine: ' +
    'muster integrations connect.'
  static override examples = ['$ <%= config.bin %> oauth loopback notes']
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }

  async run(): Promise<void> {
    const credential_id = await credentialId(this.api, this.args.credential)
    await this.out.show(await this.api.oauth.loopback({ body: { credential_id } }), startedView)
  }
}
