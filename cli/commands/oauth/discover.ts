import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { discoveredView } from '../../views/oauth.ts'

export default class OauthDiscover extends ApiCommand<typeof OauthDiscover> {
  static override summary = 'Find out where one signs in for an MCP server'
  static override examples = ['$ <%= config.bin %> oauth discover https://mcp.example.com/mcp']
  static override args = { url: Args.string({ required: true, description: 'address of the MCP server' }) }

  async run(): Promise<void> {
    const asked = this.api.oauth.discover({ body: { mcp_url: this.args.url } })
    await this.out.show(await this.progress('Asking the server', asked), discoveredView)
  }
}
