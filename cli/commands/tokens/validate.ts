import { ApiCommand } from '../../command.ts'
import { when } from '../../output/cell.ts'

export default class TokensValidate extends ApiCommand<typeof TokensValidate> {
  static override summary = 'Show the owner and scope of the token in use'
  static override examples = [
    '$ <%= config.bin %> tokens validate',
    '$ SVC_TOKEN=$OTHER <%= config.bin %> tokens validate --json',
  ]

  async run(): Promise<void> {
    await this.out.show(await this.api.tokens.validate(), {
      name: ({ user_email }) => user_email,
      columns: {
        User: ({ user_email }) => user_email,
        Id: ({ user_id }) => user_id,
        Tier: ({ tier }) => tier?.toLowerCase(),
        Scopes: ({ scopes }) => scopes?.join(' '),
        Expires: ({ expires_at }) => when(expires_at),
      },
    })
  }
}
