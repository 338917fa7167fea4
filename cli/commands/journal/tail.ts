import { Flags } from '@oclif/core'
import type { Entry } from '#contract/entries'
import { ApiCommand } from '../../command.ts'
import { momentOf } from '../../flags.ts'
import { filterFlags, filterQuery } from '../../journal/filter.ts'
import { Lines } from '../../journal/lines.ts'
import { Names } from '../../journal/names.ts'
import { onwards, tellState } from '../../journal/onwards.ts'
import { between, newest } from '../../journal/past.ts'
import { cleanLine } from '../../output/clean.ts'

const { until: _until, since: _since, ...filters } = filterFlags
const shownFirst = 10

export default class JournalTail extends ApiCommand<typeof JournalTail> {
  static override summary = 'Show the newest journal entries, and follow new ones'
  static override description =
    'With -f every entry is shown once and in order, even across a restart of the daemon. Without a terminal an ' +
    'entry is a tab-separated line: time, severity, type, who, summary, id.'
  static override result = { of: ['journal.show'] }
  static override examples = [
    '$ <%= config.bin %> journal tail -f',
    '$ <%= config.bin %> journal tail -n 100 --severity warn,error',
    '$ <%= config.bin %> journal tail -f --since 2h --agent ada',
    "$ <%= config.bin %> journal tail -f --run RUN --jq '.summary'",
    '$ <%= config.bin %> journal tail -f -n 0 -o ndjson > entries.ndjson',
  ]
  static override flags = {
    follow: Flags.boolean({ char: 'f', description: 'follow new entries as they are written' }),
    number: Flags.integer({
      char: 'n',
      min: 0,
      helpValue: 'N',
      description: `start with the newest N (default ${shownFirst}; all with --since)`,
    }),
    since: Flags.string({ helpValue: 'WHEN', description: 'start time, or how long ago, such as 2h' }),
    ...filters,
  }

  private names!: Names
  private lines!: Lines

  async run(): Promise<void> {
    this.names = new Names(this.api, this.session.workspace)
    this.lines = new Lines(this.out.paint, () => this.out.width)
    const query = await filterQuery(this.api, this.flags)
    const { api, connection } = this
    const past = this.past(query)
    const entries = this.flags.follow ? onwards({ api, connection, query, past, onState: tellState(this.out) }) : past
    for await (const entry of entries) await this.out.item(entry, await this.lineOf(entry))
  }

  private async *past(query: Record<string, string>): AsyncGenerator<Entry> {
    const { number } = this.flags
    const since = momentOf(this.flags.since, '--since')
    if (since === undefined) return yield* await newest(this.api, query, number ?? shownFirst)
    if (number !== undefined) return yield* await newest(this.api, { ...query, since }, number)
    yield* between(this.api, query, Date.parse(since), Date.now())
  }

  private async lineOf(entry: Entry): Promise<string> {
    const { format } = this.out.wanted
    if (format === 'name') return entry.id
    if (format !== 'auto' && format !== 'table' && format !== 'tsv') return ''
    const who = await this.names.whoOf(entry)
    if (format === 'table' || (format === 'auto' && this.out.terminal)) return this.lines.of(entry, who)
    return [entry.ts, entry.severity, entry.entry_type, who, entry.summary, entry.id].map(cleanLine).join('\t')
  }
}
