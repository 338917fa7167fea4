import { ApiCommand } from '../../command.ts'

export default class SystemAlive extends ApiCommand<typeof SystemAlive> {
  static override summary = 'Check that the daemon runs, and show its uptime'
  static override examples = ['$ <%= config.bin %> system alive']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.alive({ query: {} }))
  }
}
