import { ApiCommand } from '../../command.ts'

export default class JournalLookup extends ApiCommand<typeof JournalLookup> {
  static override summary = 'List the names of the crews, agents and missions in the journal'
  static override examples = [
    '$ <%= config.bin %> journal lookup',
    '$ <%= config.bin %> journal lookup --jq \'.agents[] | .id + " " + .slug\'',
  ]

  async run(): Promise<void> {
    const found = await this.api.journal.lookup()
    const rows = [
      ...found.crews.map(({ id, slug, name }) => ({ kind: 'crew', id, slug, name })),
      ...found.agents.map(({ id, slug, name }) => ({ kind: 'agent', id, slug, name })),
      ...found.missions.map(({ id, title }) => ({ kind: 'mission', id, slug: null, name: title })),
    ]
    await this.out.list(
      rows,
      {
        name: ({ id }) => id,
        columns: { KIND: ({ kind }) => kind, ID: ({ id }) => id, SLUG: ({ slug }) => slug, NAME: ({ name }) => name },
      },
      found,
    )
  }
}
