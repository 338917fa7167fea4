import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { serverCalled } from '../../integrations/find.ts'
import { crewFlag, serverBody, serverFlags } from '../../integrations/flags.ts'
import { crewId } from '../../lookup.ts'
import { viewOf } from '../../views/integrations.ts'

export default class IntegrationsUpdate extends ApiCommand<typeof IntegrationsUpdate> {
  static override summary = 'Change an MCP server'
  static override description =
    'Changes only what is given. A server that moves to another host, or becomes another program, loses its ' +
    'variables and the credentials that agents use it with: they were given to the old one.'
  static override aliases = ['integrations:edit']
  static override hiddenAliases = ['integrations:update-in-crew']
  static override examples = [
    '$ <%= config.bin %> integrations update search --timeout 60',
    '$ <%= config.bin %> integrations update git --crew web-team --no-enabled',
  ]
  static override args = { integration: Args.string({ required: true, description: 'name of the integration' }) }
  static override flags = {
    ...crewFlag,
    ...serverFlags,
    enabled: Flags.boolean({ allowNo: true, description: 'agents may use it' }),
  }

  async run(): Promise<void> {
    const { crew, enabled } = this.flags
    const { id } = await serverCalled(this.api, this.args.integration, crew)
    const body = { ...serverBody(this.flags), ...given<{ enabled?: boolean }>({ enabled }) }
    const row =
      crew === undefined
        ? await this.api.integrations.update({ integrationId: id, body })
        : await this.api.integrations.updateInCrew({ crewId: await crewId(this.api, crew), serverId: id, body })
    await this.out.done(`Changed integration ${row.name}.`, row, viewOf(crew))
  }
}
