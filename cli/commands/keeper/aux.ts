import { ApiCommand } from '../../command.ts'
import { evaluatorView } from '../../views/keeper.ts'

export default class KeeperAux extends ApiCommand<typeof KeeperAux> {
  static override summary = 'List who judges what beside credentials'
  static override result = {
    members: ['slot', 'label', 'provider', 'model', 'timeout_ms', 'credential_id', 'overridden'],
  }
  static override examples = ['$ <%= config.bin %> keeper aux']

  async run(): Promise<void> {
    const { slots } = await this.api.keeper.aux()
    await this.out.list(slots, evaluatorView)
  }
}
