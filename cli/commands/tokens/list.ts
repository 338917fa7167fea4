import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { tokenView } from '../../views/tokens.ts'

export default class TokensList extends ApiCommand<typeof TokensList> {
  static override summary = 'List your tokens, newest first'
  static override examples = [
    '$ <%= config.bin %> tokens',
    '$ <%= config.bin %> tokens list --json=id,name,last_used_at',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    const rows = await windowed(this.flags, async (query) => (await this.api.tokens.list({ query })).data)
    await this.out.list(rows, tokenView)
  }
}
