import { Flags } from '@oclif/core'
import { locate } from '#client'
import { events } from '#client/events'
import type { Entry } from '#contract/entries'
import { ApiCommand } from '../../command.ts'
import { filterFlags, filterQuery } from '../../journal/filter.ts'
import { cleanLine } from '../../output/clean.ts'
import { toneOf } from '../../views/journal.ts'

export default class JournalStream extends ApiCommand<typeof JournalStream> {
  static override summary = 'Stream journal entries as they are written'
  static override description =
    'Survives a restart of the daemon without gap or duplicate. `muster journal tail` shows what came before, too.'
  static override result = { of: ['journal.show'] }
  static override examples = [
    '$ <%= config.bin %> journal stream -o ndjson',
    '$ <%= config.bin %> journal stream --severity error',
    '$ <%= config.bin %> journal stream --after ENTRY',
  ]
  static override flags = {
    ...filterFlags,
    after: Flags.string({ helpValue: 'ENTRY', description: 'start after this entry instead of now' }),
  }

  async run(): Promise<void> {
    const { path } = locate('journal.stream', { query: await filterQuery(this.api, this.flags) })
    const { after } = this.flags
    const onState = (lost?: Error) =>
      this.out.note(lost ? `Lost the connection (${lost.message}); trying again.` : 'Connected again.', 'yellow')
    for await (const { data } of events(this.connection, path, { onState, ...(after && { lastEventId: after }) })) {
      const entry = JSON.parse(data) as Entry
      await this.out.item(
        entry,
        `${this.out.paint('dim', cleanLine(entry.ts))}  ` +
          `${this.out.paint(toneOf(entry.severity), cleanLine(entry.entry_type))}  ${cleanLine(entry.summary)}`,
      )
    }
  }
}
