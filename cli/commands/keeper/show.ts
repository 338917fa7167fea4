import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { keeperRequestView } from '../../views/keeper-requests.ts'

export default class KeeperShow extends ApiCommand<typeof KeeperShow> {
  static override summary = 'Show a request to the judge: what it was asked and what it answered'
  static override examples = ['$ <%= config.bin %> keeper show REQUEST']
  static override next = { not_found: 'muster keeper requests' }
  static override args = { request: Args.string({ required: true, description: 'id of the request' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.keeper.show({ requestId: this.args.request }), keeperRequestView)
  }
}
