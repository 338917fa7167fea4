import { Flags } from '@oclif/core'
import type { Entry } from '#contract/entries'
import { ApiCommand } from '../../command.ts'
import { filterFlags, filterQuery } from '../../journal/filter.ts'
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
    limit: Flags.integer({ min: 1, max: 500, helpValue: 'N', description: 'entries per page' }),
    cursor: Flags.string({ description: 'continue where a page ended' }),
    all: Flags.boolean({ description: 'all pages' }),
  }

  async run(): Promise<void> {
    const { all, limit, cursor } = this.flags
    const query = { ...(await filterQuery(this.api, this.flags)), limit: limit ?? (all ? 500 : undefined), cursor }
    if (all && this.out.wanted.format === 'ndjson') return this.pour(query)
    let page = await this.api.journal.list({ query })
    const entries: Entry[] = [...page.entries]
    while (all && page.next_cursor) {
      page = await this.api.journal.list({ query: { ...query, cursor: page.next_cursor } })
      entries.push(...page.entries)
    }
    await this.out.list(entries, entryView, all ? entries : page)
    if (page.next_cursor && this.out.terminal && this.out.wanted.format === 'auto')
      this.out.note(`There are more. Next: --cursor ${page.next_cursor}`, 'dim')
  }

  /** Page by page, so that a journal of any length fits. */
  private async pour(query: { cursor?: string | undefined }): Promise<void> {
    for (let cursor = query.cursor; ; ) {
      const page = await this.api.journal.list({ query: { ...query, cursor } })
      await this.out.list(page.entries, entryView)
      cursor = page.next_cursor
      if (!cursor) return
    }
  }
}
