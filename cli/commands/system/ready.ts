import { ApiCommand } from '../../command.ts'

export default class SystemReady extends ApiCommand<typeof SystemReady> {
  static override summary = 'Check whether the daemon accepts requests'
  static override result = { any: true as const }
  static override examples = ['$ <%= config.bin %> system ready']

  async run(): Promise<void> {
    await this.out.value(JSON.parse(await this.api.system.ready()))
  }
}
