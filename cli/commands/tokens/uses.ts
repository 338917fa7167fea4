import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { tokenUseView } from '../../views/tokens.ts'

export default class TokensUses extends ApiCommand<typeof TokensUses> {
  static override summary = 'List the uses of one of your administrative tokens, newest first'
  static override description = 'Every request made with an ADMIN token is recorded and kept for 90 days.'
  static override examples = [
    '$ <%= config.bin %> tokens uses TOKEN',
    '$ <%= config.bin %> tokens uses TOKEN --limit 500 --json=used_at,remote_addr,path',
  ]
  static override next = { not_found: 'muster tokens list' }
  static override args = { token: Args.string({ required: true, description: 'id of the token' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(
      await windowed(this.flags, (query) => this.api.tokens.uses({ tokenId: this.args.token, query })),
      tokenUseView,
    )
  }
}
