import { Flags } from '@oclif/core'
import { listedProviders } from '#client/words'
import type { Reply } from '#contract/define'
import type { models } from '#contract/models'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import type { View } from '../../output/printer.ts'

type Listed = Reply<typeof models.list>
type Row = Listed['models'][number] & { source: Listed['source'] }

const view: View<Row> = {
  name: ({ id }) => id,
  columns: {
    NAME: ({ id }) => id,
    PROVIDER: ({ provider }) => provider,
    SOURCE: ({ source }) => source,
    TITLE: ({ display_name }) => display_name,
  },
  empty: 'No model has that text in its name.',
}

/** Providers that are asked when none is named: a model server of one's own is there only for some. */
const usual = listedProviders.filter((name) => name !== 'OLLAMA')

export default class ModelsList extends ApiCommand<typeof ModelsList> {
  static override summary = 'List the models that agents can work with'
  static override description =
    'Live lists come from the provider itself, asked with an API key of the workspace; without one, the list is the ' +
    'one that this version of Muster knows (curated).'
  static override examples = [
    '$ <%= config.bin %> models',
    '$ <%= config.bin %> models --provider anthropic',
    '$ <%= config.bin %> models --search haiku -o name',
    '$ <%= config.bin %> models --provider ollama',
  ]
  static override result = { of: ['models.list'], members: ['source'] }
  static override flags = {
    provider: Flags.string({
      helpValue: listedProviders.join('|').toLowerCase(),
      description: 'only the models of this provider',
    }),
    source: Flags.string({ options: ['live', 'curated'], description: 'only lists that came from there' }),
    search: Flags.string({ helpValue: 'TEXT', description: 'text in the name' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { provider, source, search = '' } = this.flags
    const lists = await Promise.all(
      (provider === undefined ? usual : [provider]).map((name) => this.api.models.list({ query: { provider: name } })),
    )
    const wanted = ({ id, display_name = '' }: Row) =>
      `${id} ${display_name}`.toLowerCase().includes(search.toLowerCase())
    const rows = lists
      .filter((list) => source === undefined || list.source === source)
      .flatMap((list) => list.models.map((model) => ({ ...model, source: list.source })))
    await this.out.list(limited(rows.filter(wanted), this.flags), view)
  }
}
