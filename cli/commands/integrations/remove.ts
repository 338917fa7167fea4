import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { serverCalled } from '../../integrations/find.ts'
import { crewFlag } from '../../integrations/flags.ts'
import { crewId } from '../../lookup.ts'

export default class IntegrationsRemove extends ApiCommand<typeof IntegrationsRemove> {
  static override summary = 'Delete an MCP server, with what was made from it and bound to it'
  static override hiddenAliases = ['integrations:remove-in-crew']
  static override examples = ['$ <%= config.bin %> integrations remove search --yes']
  static override args = { integration: Args.string({ required: true, description: 'name of the integration' }) }
  static override flags = { ...crewFlag, ...yesFlag }

  async run(): Promise<void> {
    const { crew } = this.flags
    const { id, name } = await serverCalled(this.api, this.args.integration, crew)
    await this.confirm(`Delete integration ${name}?`)
    const gone =
      crew === undefined
        ? await this.api.integrations.remove({ integrationId: id })
        : await this.api.integrations.removeInCrew({ crewId: await crewId(this.api, crew), serverId: id })
    await this.out.done(`Deleted integration ${name}.`, gone)
  }
}
