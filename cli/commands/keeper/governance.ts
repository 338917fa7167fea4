import { ApiCommand } from '../../command.ts'
import { governanceView } from '../../views/keeper.ts'

export default class KeeperGovernance extends ApiCommand<typeof KeeperGovernance> {
  static override summary = 'Show what the workspace asks of the judge'
  static override examples = ['$ <%= config.bin %> keeper governance']

  async run(): Promise<void> {
    await this.out.show(await this.api.keeper.governance(), governanceView)
  }
}
