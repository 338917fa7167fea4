import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { keeperEventView } from '../../views/keeper-requests.ts'

export default class KeeperHistory extends ApiCommand<typeof KeeperHistory> {
  static override summary = 'Show what became of a request to the judge, step by step'
  static override examples = ['$ <%= config.bin %> keeper history REQUEST']
  static override next = { not_found: 'muster keeper requests' }
  static override args = { request: Args.string({ required: true, description: 'id of the request' }) }

  async run(): Promise<void> {
    await this.out.list(await this.api.keeper.history({ requestId: this.args.request }), keeperEventView)
  }
}
