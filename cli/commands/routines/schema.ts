import { ApiCommand } from '../../command.ts'
import { viewOf } from '../../output/any-view.ts'

export default class RoutinesSchema extends ApiCommand<typeof RoutinesSchema> {
  static override summary = 'Show the JSON schema of definitions, for editors'
  static override result = { any: true as const }
  static override examples = ['$ <%= config.bin %> routines schema > routine.schema.json']

  async run(): Promise<void> {
    const found = await this.api.routines.schema({})
    if (this.out.wanted.format === 'auto') this.out.text(`${JSON.stringify(found, null, 2)}\n`)
    else await this.out.show(found, viewOf([found]))
  }
}
