import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { compactJson } from '../../output/json.ts'

export default class PreferencesList extends ApiCommand<typeof PreferencesList> {
  static override summary = 'List your stored preferences'
  static override result = { members: ['key', 'value', 'value.*'] }
  static override examples = [
    '$ <%= config.bin %> preferences',
    '$ <%= config.bin %> preferences list --jq \'.[] | select(.key == "theme").value\'',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    const values = await this.api.preferences.list()
    await this.out.list(
      limited(
        Object.entries(values).map(([key, value]) => ({ key, value })),
        this.flags,
      ),
      {
        name: ({ key }) => key,
        empty: 'There are no preferences.',
        columns: { NAME: ({ key }) => key, VALUE: ({ value }) => compactJson(value) },
      },
    )
  }
}
