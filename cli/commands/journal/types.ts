import type { Reply } from '#contract/define'
import type { journal } from '#contract/journal'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import type { View } from '../../output/printer.ts'
import { toneOf } from '../../views/journal.ts'

type Row = Reply<typeof journal.types>['types'][number]

const view: View<Row> = {
  name: ({ entry_type }) => entry_type,
  columns: {
    NAME: ({ name }) => name,
    TYPE: ({ entry_type }) => entry_type,
    SEVERITY: ({ severity }) => ({ text: severity, ...(toneOf(severity) && { tone: toneOf(severity)! }) }),
    ENTITY: ({ entity_type }) => entity_type,
    PAYLOAD: ({ payload, recorded }) =>
      recorded ? Object.keys((payload?.['properties'] as object | undefined) ?? {}).join(', ') : 'not recorded yet',
  },
}

export default class JournalTypes extends ApiCommand<typeof JournalTypes> {
  static override summary = 'List the facts that the journal records, and what each carries'
  static override description =
    'TYPE is what --type of the other commands takes; facts of an ENTITY share the types of their kind. --json ' +
    'has the schema of every payload.'
  static override examples = [
    '$ <%= config.bin %> journal types',
    '$ <%= config.bin %> journal types --json | jq \'.[] | select(.name == "container.started").payload\'',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    const found = await this.api.journal.types()
    await this.out.list(limited(found.types, this.flags), view)
  }
}
