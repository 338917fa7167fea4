import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class TokensRevoke extends ApiCommand<typeof TokensRevoke> {
  static override summary = 'Revoke one of your tokens'
  static override description = 'Whoever uses the token is signed out at once. `muster tokens list` shows the ids.'
  static override examples = [
    '$ <%= config.bin %> tokens revoke TOKEN',
    '$ <%= config.bin %> tokens revoke TOKEN --yes',
  ]
  static override args = { token: Args.string({ required: true, description: 'name or id of the token' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { token } = this.args
    await this.confirm(`Revoke token ${this.called('token')}?`)
    await this.api.tokens.revoke({ tokenId: token })
    await this.out.done(`Revoked token ${this.called('token')}.`)
  }
}
