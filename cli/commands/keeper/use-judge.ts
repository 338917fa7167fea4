import { ApiCommand } from '../../command.ts'
import { evaluatorsView } from '../../views/keeper.ts'

export default class KeeperUseJudge extends ApiCommand<typeof KeeperUseJudge> {
  static override summary = 'Let the judge of credentials judge all else too'
  static override examples = ['$ <%= config.bin %> keeper use-judge']

  async run(): Promise<void> {
    const reply = await this.api.keeper.useJudge()
    await this.out.done('The judge of credentials judges all else too.', reply, evaluatorsView)
  }
}
