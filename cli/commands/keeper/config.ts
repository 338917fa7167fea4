import { ApiCommand } from '../../command.ts'
import { judgeConfigView } from '../../views/keeper.ts'

export default class KeeperConfig extends ApiCommand<typeof KeeperConfig> {
  static override summary = 'Show how the judge of credentials is set up'
  static override examples = [
    '$ <%= config.bin %> keeper config',
    '$ <%= config.bin %> keeper config --jq .judge_profile.stamp',
  ]

  async run(): Promise<void> {
    await this.out.show(await this.api.keeper.config(), judgeConfigView)
  }
}
