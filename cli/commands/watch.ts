import { Flags } from '@oclif/core'
import type { Entry } from '#contract/entries'
import { ApiCommand } from '../command.ts'
import { alerts, isAlert, noticeOf, ring } from '../inbox/alerts.ts'
import type { Item } from '../inbox/decisions.ts'
import { NotifySend, terminalNotice } from '../inbox/desktop.ts'
import { type Here, whereIAm } from '../inbox/here.ts'
import { filterFlags, filterQuery } from '../journal/filter.ts'
import { Lines } from '../journal/lines.ts'
import { Names } from '../journal/names.ts'
import { onwards, tellState } from '../journal/onwards.ts'
import { newest } from '../journal/past.ts'
import { cleanLine } from '../output/clean.ts'
import { shellWord } from '../output/shell-word.ts'

const { until: _until, since: _since, ...filters } = filterFlags
const shownFirst = 10

export default class Watch extends ApiCommand<typeof Watch> {
  static override summary = 'Watch the journal and your inbox'
  static override description =
    'Shows the journal as it is written, with a line for each new item of your inbox. At a terminal it rings ' +
    'once for each item that is urgent or waits for you. Elsewhere lines are tab-separated, and inbox lines ' +
    'begin with "inbox".'
  static override result = { of: ['journal.show'], members: ['inbox_item', 'inbox_item.*'] }
  static override examples = [
    '$ <%= config.bin %> watch',
    '$ <%= config.bin %> watch --severity warn,error --no-bell',
    '$ <%= config.bin %> watch --notify',
    '$ <%= config.bin %> watch -o ndjson',
  ]
  static override flags = {
    number: Flags.integer({
      char: 'n',
      min: 0,
      default: shownFirst,
      helpValue: 'N',
      description: 'start with the newest N entries',
    }),
    'no-bell': Flags.boolean({ description: 'do not ring the terminal bell' }),
    notify: Flags.boolean({
      description:
        'show notices on the desktop too: by the terminal (OSC 9 or 777), and by notify-send where it is there',
    }),
    ...filters,
  }

  private names!: Names
  private lines!: Lines
  private readonly notifySend = new NotifySend()

  async run(): Promise<void> {
    this.names = new Names(this.api, this.session.workspace)
    this.lines = new Lines(this.out.paint, () => this.out.width)
    const here = await whereIAm(this.api, this.session.workspace)
    const stop = new AbortController()
    const told = this.tellInbox(here, stop.signal).catch((error: Error) =>
      this.out.note(`The inbox cannot be watched: ${error.message}`, 'yellow'),
    )
    try {
      await this.tellJournal()
    } finally {
      stop.abort()
      await told
    }
  }

  private async tellJournal(): Promise<void> {
    const query = await filterQuery(this.api, this.flags)
    const { api, connection } = this
    for await (const entry of onwards({ api, connection, query, past: this.past(query), onState: tellState(this.out) }))
      await this.tellEntry(entry)
  }

  private async *past(query: Record<string, string>): AsyncGenerator<Entry> {
    if (this.flags.number) yield* await newest(this.api, query, this.flags.number)
  }

  private async tellInbox(here: Here, signal: AbortSignal): Promise<void> {
    for await (const item of alerts(this.api, this.connection, { here, signal })) {
      await this.out.item({ inbox_item: item }, this.lineOfItem(item))
      if (isAlert(here, item)) this.alert(item)
    }
  }

  private alert(item: Item): void {
    const { notify, 'no-bell': isSilent } = this.flags
    if (notify) this.notifySend.show(item)
    if (!this.out.terminal) return
    if (notify) process.stdout.write(`${isSilent ? '' : '\u0007'}${terminalNotice(noticeOf(item), process.env)}`)
    else if (!isSilent) ring(process.stdout, item)
  }

  private async tellEntry(entry: Entry): Promise<void> {
    const { format } = this.out.wanted
    const people = this.people
    if (!people && format !== 'tsv' && format !== 'auto') return this.out.item(entry, entry.id)
    const who = await this.names.whoOf(entry)
    const line = people
      ? this.lines.of(entry, who)
      : [entry.ts, entry.severity, entry.entry_type, who, entry.summary, entry.id].map(cleanLine).join('\t')
    await this.out.item(entry, line)
  }

  private lineOfItem(item: Item): string {
    if (this.out.wanted.format === 'name') return item.id
    if (!this.people)
      return ['inbox', item.priority, item.kind, item.sender_name ?? item.sender_type ?? '', item.title, item.id]
        .map(cleanLine)
        .join('\t')
    const mark = item.blocking ? this.out.paint('yellow', '! inbox') : this.out.paint('cyan', '• inbox')
    return `${mark}  ${noticeOf(item)}  ${this.out.paint('dim', `muster inbox show ${shellWord(cleanLine(item.id))}`)}`
  }

  private get people(): boolean {
    const { format } = this.out.wanted
    return format === 'table' || (format === 'auto' && this.out.terminal)
  }
}
