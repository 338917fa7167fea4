import { ApiCommand } from '../../command.ts'

export default class SystemSetup extends ApiCommand<typeof SystemSetup> {
  static override summary = 'Check whether the server still needs its first user'
  static override examples = ['$ <%= config.bin %> system setup']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.setup())
  }
}
