import { ApiCommand } from '../../command.ts'
import { adminStatsView } from '../../views/admin.ts'

export default class AdminStats extends ApiCommand<typeof AdminStats> {
  static override summary = 'Count the users, crews and agents of the workspace'
  static override description = 'For the OWNER of the workspace.'
  static override examples = ['$ <%= config.bin %> admin stats', '$ <%= config.bin %> admin stats --jq .running']

  async run(): Promise<void> {
    await this.out.show(await this.api.admin.stats(), adminStatsView)
  }
}
