import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { serverCalled } from '../../integrations/find.ts'
import { crewFlag, serverBody, serverFlags } from '../../integrations/flags.ts'
import { crewId } from '../../lookup.ts'
import { viewOf } from '../../views/integrations.ts'

export default class IntegrationsCreate extends ApiCommand<typeof IntegrationsCreate> {
  static override summary = 'Add an MCP server'
  static override description =
    'For all crews, or with --crew for one. It is reached at --url, or run as --command in the container of a crew.'
  static override aliases = ['integrations:add']
  static override hiddenAliases = ['integrations:create-in-crew']
  static override examples = [
    '$ <%= config.bin %> integrations create search --url https://search.example.com/mcp',
    '$ <%= config.bin %> integrations create git --crew web-team --command npx --arg=-y --arg=git-mcp ' +
      '--env-file git.env',
    '$ <%= config.bin %> integrations create search --crew web-team --from search',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the integration' }) }
  static override flags = {
    ...crewFlag,
    from: Flags.string({
      helpValue: 'INTEGRATION',
      dependsOn: ['crew'],
      description: 'take what is not said from this one of the workspace',
    }),
    ...serverFlags,
    disabled: Flags.boolean({ description: 'nobody uses it yet' }),
  }

  async run(): Promise<void> {
    const { crew, from, disabled } = this.flags
    const { name } = this.args
    const body = { ...serverBody(this.flags), name, ...(disabled && { enabled: false }) }
    if (!from && !body.endpoint && !body.command) throw new InputError('--url or --command is missing.')
    const row =
      crew === undefined
        ? await this.api.integrations.create({ body })
        : await this.api.integrations.createInCrew({
            crewId: await crewId(this.api, crew),
            body: {
              ...body,
              ...given<{ workspace_mcp_server_id?: string }>({
                workspace_mcp_server_id: from && (await serverCalled(this.api, from, undefined)).id,
              }),
            },
          })
    await this.out.done(`Added integration ${row.name}.`, row, viewOf(crew))
  }
}
