import type { Entry } from '#contract/entries'
import { ApiCommand } from '../../command.ts'
import { listFlags } from '../../flags.ts'
import { filterFlags, filterQuery } from '../../journal/filter.ts'
import { pages } from '../../journal/pages.ts'
import { entryView } from '../../views/journal.ts'

export default class JournalList extends ApiCommand<typeof JournalList> {
  static override summary = 'List journal entries, newest first'
  static override examples = [
    '$ <%= config.bin %> journal',
    '$ <%= config.bin %> journal list --severity warn,error --since 1d',
    '$ <%= config.bin %> journal list --agent ada --type run.failed --limit 20',
    '$ <%= config.bin %> journal list --search "rate limit" --all -o ndjson',
  ]
  static override flags = {
    ...filterFlags,
    ...listFlags,
  }

  async run(): Promise<void> {
    const query = await filterQuery(this.api, this.flags)
    if (this.flags.all && this.out.wanted.format === 'ndjson') {
      // Page by page, so that a journal of any length fits.
      for await (const { entries } of pages(this.api, query, this.flags)) await this.out.list(entries, entryView)
      return
    }
    const found: Entry[] = []
    let more = false
    for await (const page of pages(this.api, query, this.flags)) {
      found.push(...page.entries)
      more = page.more
    }
    await this.out.list(found, entryView)
    if (more && this.flags.limit === undefined && this.out.terminal && this.out.wanted.format === 'auto')
      this.out.note('There are more. Next: --all, or --limit N', 'dim')
  }
}
