import { ApiCommand } from '../../command.ts'

export default class SystemRuntime extends ApiCommand<typeof SystemRuntime> {
  static override summary = 'Check whether there is a container runtime'
  static override examples = ['$ <%= config.bin %> system runtime']

  async run(): Promise<void> {
    await this.out.value(await this.api.system.runtime())
  }
}
