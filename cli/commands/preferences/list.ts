import { ApiCommand } from '../../command.ts'
import { compactJson } from '../../output/json.ts'

export default class PreferencesList extends ApiCommand<typeof PreferencesList> {
  static override summary = 'List your stored preferences'
  static override examples = ['$ <%= config.bin %> preferences', '$ <%= config.bin %> preferences list --jq .theme']

  async run(): Promise<void> {
    const values = await this.api.preferences.list()
    await this.out.list(
      Object.entries(values),
      {
        name: ([key]) => key,
        empty: 'There are no preferences.',
        columns: { KEY: ([key]) => key, VALUE: ([, value]) => compactJson(value) },
      },
      values,
    )
  }
}
