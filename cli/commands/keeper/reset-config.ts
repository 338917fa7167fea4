import { ApiCommand } from '../../command.ts'
import { judgeConfigView } from '../../views/keeper.ts'

export default class KeeperResetConfig extends ApiCommand<typeof KeeperResetConfig> {
  static override summary = 'Take back all that was set of the judge'
  static override examples = ['$ <%= config.bin %> keeper reset-config']

  async run(): Promise<void> {
    await this.out.done(
      'The judge is as the configuration of the server says.',
      await this.api.keeper.resetConfig(),
      judgeConfigView,
    )
  }
}
