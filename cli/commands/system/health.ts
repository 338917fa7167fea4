import { ApiCommand } from '../../command.ts'

export default class SystemHealth extends ApiCommand<typeof SystemHealth> {
  static override summary = 'Say whether the daemon and its database answer'
  static override examples = ['$ <%= config.bin %> system health']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.health())
  }
}
