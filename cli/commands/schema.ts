import { ApiCommand } from '../command.ts'

export default class Schema extends ApiCommand<typeof Schema> {
  static override summary = 'Print what files of a workspace may hold, as JSON Schema'
  static override description = 'Editors complete and check files by it.'
  static override hiddenAliases = ['manifests:schema']
  static override result = { any: true as const }
  static override examples = ['$ <%= config.bin %> schema > muster.schema.json']

  async run(): Promise<void> {
    await this.out.value(await this.api.manifests.schema({}))
  }
}
