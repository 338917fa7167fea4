import { Flags } from '@oclif/core'
import type { adapters } from '#contract/adapters'
import type { Reply } from '#contract/define'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import type { View } from '../../output/printer.ts'

type Row = Reply<typeof adapters.list>['adapters'][number]

const view: View<Row> = {
  name: ({ cli_adapter }) => cli_adapter,
  columns: {
    NAME: ({ cli_adapter }) => ({ text: cli_adapter.toLowerCase(), value: cli_adapter }),
    INSTALLED: ({ installed }) => installed ?? { text: 'unknown', value: null, tone: 'dim' },
    VERSION: ({ version }) => version,
    PROVIDERS: ({ providers }) => ({ text: providers.join(', ').toLowerCase(), value: providers.join(', ') }),
    CAN: ({ can }) => wordsOf(can),
    REFUSED: ({ refused }) => refused,
  },
  empty: 'This server knows no client.',
}

const wordsOf = (can: Row['can']): string =>
  Object.entries(can)
    .filter(([, able]) => able)
    .map(([name]) => name)
    .join(', ')

export default class AdaptersList extends ApiCommand<typeof AdaptersList> {
  static override summary = "List the agents' clients and what they can"
  static override description =
    'Whether a client is installed is known of a crew that runs and has an agent. ' +
    'REFUSED says why no agent may have it.'
  static override examples = [
    '$ <%= config.bin %> adapters',
    '$ <%= config.bin %> adapters --crew backend',
    "$ <%= config.bin %> adapters --crew backend --json=cli_adapter,version --jq '.[] | select(.version)'",
  ]
  static override result = { of: ['adapters.list'] }
  static override flags = {
    crew: Flags.string({ description: 'say what this crew has' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { crew } = this.flags
    const query = crew === undefined ? {} : { crew_id: await crewId(this.api, crew) }
    const { adapters } = await this.api.adapters.list({ query })
    await this.out.list(limited(adapters, this.flags), view)
  }
}
