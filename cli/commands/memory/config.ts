import { ApiCommand } from '../../command.ts'
import { configView } from '../../views/memory.ts'

export default class MemoryConfig extends ApiCommand<typeof MemoryConfig> {
  static override summary = 'Show how memory is kept'
  static override examples = ['$ <%= config.bin %> memory config']

  async run(): Promise<void> {
    await this.out.show(await this.api.memory.config(), configView)
  }
}
