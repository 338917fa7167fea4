import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { erasureView } from '../../views/journal-compaction.ts'

export default class JournalErasures extends ApiCommand<typeof JournalErasures> {
  static override summary = 'List erasures of what the journal says of people, newest first'
  static override examples = [
    '$ <%= config.bin %> journal erasures',
    '$ <%= config.bin %> journal erasures --jq \'.[] | select(.status == "running") | .looked_through\'',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.journal.erasures({ query })), erasureView)
  }
}
