import { ApiCommand } from '../../command.ts'

export default class SystemDaemon extends ApiCommand<typeof SystemDaemon> {
  static override summary = 'Say whether the daemon works, and for how long it runs'
  static override examples = ['$ <%= config.bin %> system daemon']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.daemon())
  }
}
