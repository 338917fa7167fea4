import { ApiCommand } from '../../command.ts'

export default class SystemOpenapi extends ApiCommand<typeof SystemOpenapi> {
  static override summary = 'Print the API of the daemon as OpenAPI 3.1'
  static override result = { any: true as const }
  static override examples = ['$ <%= config.bin %> system openapi']

  async run(): Promise<void> {
    await this.out.value(JSON.parse(await this.api.system.openapi()))
  }
}
