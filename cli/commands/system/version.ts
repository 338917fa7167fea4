import { ApiCommand } from '../../command.ts'

export default class SystemVersion extends ApiCommand<typeof SystemVersion> {
  static override summary = "Show the server's version and where agents run"
  static override examples = ['$ <%= config.bin %> system version']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.version())
  }
}
