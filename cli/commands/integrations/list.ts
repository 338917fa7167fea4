import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { crewFlag } from '../../integrations/flags.ts'
import { crewId } from '../../lookup.ts'
import { crewServerView, serverView } from '../../views/integrations.ts'

export default class IntegrationsList extends ApiCommand<typeof IntegrationsList> {
  static override summary = 'List the MCP servers of the workspace or of a crew, newest first'
  static override description = 'What an agent may use of them: muster integrations resolved AGENT.'
  static override hiddenAliases = ['integrations:of-crew']
  static override examples = [
    '$ <%= config.bin %> integrations',
    '$ <%= config.bin %> integrations list --crew web-team',
  ]
  static override flags = { ...crewFlag, ...listFlags }

  async run(): Promise<void> {
    const { crew } = this.flags
    if (crew === undefined)
      return await this.out.list(limited(await this.api.integrations.list({}), this.flags), serverView)
    const rows = await this.api.integrations.ofCrew({ crewId: await crewId(this.api, crew) })
    await this.out.list(limited(rows, this.flags), crewServerView)
  }
}
