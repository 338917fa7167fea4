import { ApiCommand } from '../../command.ts'
import { confirmFlags } from '../../flags.ts'

export default class KeeperClear extends ApiCommand<typeof KeeperClear> {
  static override summary = 'Delete the requests to the judge that are settled, with their history'
  static override description = 'What people have yet to decide stays. The journal keeps its own record.'
  static override examples = ['$ <%= config.bin %> keeper clear']
  static override flags = confirmFlags

  async run(): Promise<void> {
    await this.confirmName('Delete all requests to the judge that are settled?', 'requests')
    const reply = await this.api.keeper.clear()
    await this.out.done(`Deleted ${reply.deleted_requests} requests.`, reply)
  }
}
