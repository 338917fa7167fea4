import { ApiCommand } from '../../command.ts'

export default class SystemHealth extends ApiCommand<typeof SystemHealth> {
  static override summary = 'Check the health of the daemon and its database'
  static override examples = ['$ <%= config.bin %> system health']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.health())
  }
}
