import { ApiCommand } from '../../command.ts'
import { providerView } from '../../views/oauth.ts'

export default class OauthProviders extends ApiCommand<typeof OauthProviders> {
  static override summary = 'List the providers whose addresses are known'
  static override description = 'An MCP server that says itself where one signs in need not be among them.'
  static override result = { members: ['name', 'auth_url', 'token_url', 'default_scopes'] }
  static override examples = ['$ <%= config.bin %> oauth providers']

  async run(): Promise<void> {
    const all = await this.api.oauth.providers({})
    await this.out.list(
      Object.entries(all).map(([name, it]) => ({ name, ...it })),
      providerView,
    )
  }
}
