import { ApiCommand } from '../../command.ts'

export default class SystemDaemon extends ApiCommand<typeof SystemDaemon> {
  static override summary = 'Show whether the daemon works, and its uptime'
  static override examples = ['$ <%= config.bin %> system daemon']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.daemon())
  }
}
