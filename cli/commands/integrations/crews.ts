import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { crewsView } from '../../views/integrations.ts'

export default class IntegrationsCrews extends ApiCommand<typeof IntegrationsCrews> {
  static override summary = 'List the MCP servers of all crews'
  static override examples = ['$ <%= config.bin %> integrations crews']
  static override flags = listFlags

  async run(): Promise<void> {
    await this.out.list(limited(await this.api.integrations.crews({}), this.flags), crewsView)
  }
}
