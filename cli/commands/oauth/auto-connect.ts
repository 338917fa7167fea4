import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { clientFlags, clientIn } from '../../integrations/client.ts'
import { connectedView } from '../../views/oauth.ts'

export default class OauthAutoConnect extends ApiCommand<typeof OauthAutoConnect> {
  static override summary = 'Add an MCP server and begin to sign in to it'
  static override description =
    'Prints the address to open. To have the browser opened, and to wait for it: muster integrations connect.'
  static override examples = ['$ <%= config.bin %> oauth auto-connect https://mcp.example.com/mcp --name Notes']
  static override args = { url: Args.string({ required: true, description: 'address of the MCP server' }) }
  static override flags = {
    name: Flags.string({ description: 'name of the server' }),
    provider: Flags.string({
      helpValue: 'NAME',
      description: 'provider, if the server does not say where one signs in',
    }),
    redirect: Flags.string({ helpValue: 'URL', description: 'address on 127.0.0.1 that the browser comes back to' }),
    ...clientFlags,
  }

  async run(): Promise<void> {
    const { name, provider, redirect } = this.flags
    const client = await clientIn(this.flags)
    const asked = this.api.oauth.autoConnect({
      body: given({
        mcp_url: this.args.url,
        server_name: name,
        provider_hint: provider,
        redirect_uri: redirect,
        ...client,
      }),
    })
    await this.out.show(await this.progress('Asking the server', asked), connectedView)
  }
}
