import { ApiCommand } from '../../command.ts'
import { keeperHealthView } from '../../views/keeper-requests.ts'

export default class KeeperHealth extends ApiCommand<typeof KeeperHealth> {
  static override summary = 'Show how the judge decided lately, and whether something is wrong with it'
  static override description = 'Counts the newest 200 decisions since the server started. Exits with 1 on an alarm.'
  static override examples = ['$ <%= config.bin %> keeper health']

  async run(): Promise<void> {
    const reply = await this.api.keeper.health()
    await this.out.show(reply, keeperHealthView)
    if (reply.alarm) process.exitCode = 1
  }
}
