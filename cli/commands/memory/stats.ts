import { ApiCommand } from '../../command.ts'
import { statsView } from '../../views/memory.ts'

export default class MemoryStats extends ApiCommand<typeof MemoryStats> {
  static override summary = 'Show how much is remembered'
  static override examples = ['$ <%= config.bin %> memory stats', "$ <%= config.bin %> memory stats --jq '.by_agent[]'"]

  async run(): Promise<void> {
    await this.out.show(await this.api.memory.stats(), statsView)
  }
}
