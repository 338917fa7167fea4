import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { judgeModelsView } from '../../views/keeper.ts'

export default class KeeperModels extends ApiCommand<typeof KeeperModels> {
  static override summary = "List the models of a judge's server"
  static override examples = [
    '$ <%= config.bin %> keeper models',
    '$ <%= config.bin %> keeper models --endpoint http://localhost:11434',
  ]
  static override flags = {
    endpoint: Flags.string({ helpValue: 'URL', description: 'another server than that of the judge' }),
  }

  async run(): Promise<void> {
    const { endpoint } = this.flags
    await this.out.show(await this.api.keeper.models({ query: given({ endpoint }) }), judgeModelsView)
  }
}
