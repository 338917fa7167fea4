import { ApiCommand } from '../../command.ts'
import { evaluatorsView } from '../../views/keeper.ts'

export default class KeeperResetAux extends ApiCommand<typeof KeeperResetAux> {
  static override summary = 'Take back all that was set of who judges what'
  static override examples = ['$ <%= config.bin %> keeper reset-aux']

  async run(): Promise<void> {
    const reply = await this.api.keeper.resetAux()
    await this.out.done('Who judges what is as the configuration of the server says.', reply, evaluatorsView)
  }
}
