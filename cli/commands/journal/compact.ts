import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, yesFlag } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { exportDue } from '../../journal/export.ts'
import { compactingView } from '../../views/journal-compaction.ts'

export default class JournalCompact extends ApiCommand<typeof JournalCompact> {
  static override summary = 'Roll up entries that are older than the retention'
  static override description =
    'Entries of a few frequent types become one entry for each day and type; what they said is erased, and the chain ' +
    'of hashes still holds. Entries with a priority stay. The daemon does this once a day; it goes on by itself. ' +
    '--dry-run says what would be rolled up, --export keeps it in a file first.'
  static override examples = [
    '$ <%= config.bin %> journal compact --dry-run',
    '$ <%= config.bin %> journal compact --export calls.ndjson',
    '$ <%= config.bin %> journal compact --before 2026-01-01 --yes',
  ]
  static override next = {
    compaction_running: 'muster journal compaction',
    journal_kept: 'muster workspaces update --journal-days 30',
  }
  static override flags = {
    before: Flags.string({ helpValue: 'DAY', description: 'only entries before this UTC day, such as 2026-01-31' }),
    export: Flags.string({ helpValue: 'FILE', description: 'first write the entries to this new file' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { before, export: path } = this.flags
    if (path === undefined || this.dry) return this.begin(before)
    const { cutoff, entry_types } = await this.api.journal.compaction()
    const kept = 'muster workspaces update --journal-days 30'
    if (cutoff === null) throw new InputError('This workspace keeps its journal for ever.', kept)
    const last = cutoff.slice(0, 10)
    const day = before ?? last
    if (Number.isNaN(Date.parse(day)) || day > last)
      throw new InputError(`--before ${day} must be a day up to ${last}: what is newer is kept in full.`)
    const due = { types: entry_types, cutoff: day }
    const count = await this.progress('Exporting', (say) => exportDue(this.api, path, due, say))
    this.out.note(`Wrote ${count} entries to ${path}.`, 'dim')
    await this.begin(day)
  }

  private async begin(before: string | undefined): Promise<void> {
    await this.confirm(`Roll up the entries before ${before ?? 'the retention'}? What they say is erased.`)
    const body = given<{ before?: string }>({ before })
    const begun = await this.progress('Counting entries', this.api.journal.compact({ body }, { timeout: 600_000 }))
    const sentence = `Rolling up ${begun.entries} entries before ${begun.cutoff.slice(0, 10)}.`
    await this.out.done(sentence, begun, compactingView)
  }
}
