import { ApiCommand } from '../../command.ts'
import { windowFlags, windowOf } from '../../flags.ts'
import { tokenView } from '../../views/tokens.ts'

export default class TokensList extends ApiCommand<typeof TokensList> {
  static override summary = 'List your tokens, newest first'
  static override examples = [
    '$ <%= config.bin %> tokens',
    '$ <%= config.bin %> tokens list --json=id,name,last_used_at',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    const reply = await this.api.tokens.list({ query: windowOf(this.flags) })
    await this.out.list(reply.data, tokenView, reply)
  }
}
