import { ApiCommand } from '../../command.ts'
import { clientView } from '../../views/oauth.ts'

export default class OauthClient extends ApiCommand<typeof OauthClient> {
  static override summary = 'Show what the server is as a client to authorization servers'
  static override description =
    'Authorization servers that take client id metadata documents read it. It is there when the server has a public ' +
    'https address.'
  static override examples = ['$ <%= config.bin %> oauth client']

  async run(): Promise<void> {
    await this.out.show(await this.api.oauth.client({}), clientView)
  }
}
