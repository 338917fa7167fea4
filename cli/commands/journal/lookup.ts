import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'

export default class JournalLookup extends ApiCommand<typeof JournalLookup> {
  static override summary = 'List the names of the crews, agents and missions in the journal'
  static override result = { members: ['kind', 'id', 'slug', 'name'] }
  static override examples = [
    '$ <%= config.bin %> journal lookup',
    '$ <%= config.bin %> journal lookup --jq \'.[] | select(.kind == "agent") | .id + " " + .slug\'',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    const found = await this.api.journal.lookup()
    const rows = [
      ...found.crews.map(({ id, slug, name }) => ({ kind: 'crew', id, slug, name })),
      ...found.agents.map(({ id, slug, name }) => ({ kind: 'agent', id, slug, name })),
      ...found.missions.map(({ id, title }) => ({ kind: 'mission', id, slug: null, name: title })),
    ]
    await this.out.list(limited(rows, this.flags), {
      name: ({ id }) => id,
      columns: {
        NAME: ({ slug, name }) => slug ?? name,
        KIND: ({ kind }) => kind,
        TITLE: ({ name }) => name,
        ID: ({ id }) => id,
      },
    })
  }
}
