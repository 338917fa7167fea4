import { ApiCommand } from '../../command.ts'
import { compactionView } from '../../views/journal-compaction.ts'

export default class JournalCompaction extends ApiCommand<typeof JournalCompaction> {
  static override summary = 'Show how long entries are kept in full, and which were rolled up'
  static override examples = [
    '$ <%= config.bin %> journal compaction',
    '$ <%= config.bin %> journal compaction --json=retention_days,compacted,running',
  ]

  async run(): Promise<void> {
    await this.out.show(await this.api.journal.compaction(), compactionView)
  }
}
