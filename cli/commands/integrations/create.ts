import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { serverCalled } from '../../integrations/find.ts'
import { crewFlag, serverBody, serverFlags } from '../../integrations/flags.ts'
import { draftFrom, listedCalled, nameOf, trustLine, variablesFrom } from '../../integrations/from-registry.ts'
import { crewId } from '../../lookup.ts'
import { viewOf } from '../../views/integrations.ts'

export default class IntegrationsCreate extends ApiCommand<typeof IntegrationsCreate> {
  static override summary = 'Add an MCP server'
  static override description =
    'For all crews, or with --crew for one. It is reached at --url, or run as --command in the container of a crew. ' +
    'Without these it is taken from the registry (muster mcp registry list); variables that it needs are asked for, ' +
    'or taken from the environment.'
  static override aliases = ['integrations:add']
  static override hiddenAliases = ['integrations:create-in-crew']
  static override examples = [
    '$ <%= config.bin %> integrations create search --url https://search.example.com/mcp',
    '$ <%= config.bin %> integrations create git --crew web-team --command npx --arg=-y --arg=git-mcp ' +
      '--env-file git.env',
    '$ <%= config.bin %> integrations create search --crew web-team --from search',
    '$ <%= config.bin %> integrations add io.github.owner/tickets --as tickets --from-env TICKETS_TOKEN',
  ]
  static override args = {
    name: Args.string({ required: true, description: 'name of the integration, or of a server of the registry' }),
  }
  static override flags = {
    ...crewFlag,
    from: Flags.string({
      helpValue: 'INTEGRATION',
      dependsOn: ['crew'],
      description: 'take what is not said from this one of the workspace',
    }),
    'from-env': Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME',
      exclusive: ['env-file'],
      description: 'variable whose value the environment has; may be repeated',
    }),
    as: Flags.string({ helpValue: 'NAME', description: 'name here of a server of the registry' }),
    ...serverFlags,
    disabled: Flags.boolean({ description: 'nobody uses it yet' }),
  }

  async run(): Promise<void> {
    const { crew, from, disabled } = this.flags
    const body = { ...(await this.#body()), ...(disabled && { enabled: false }) }
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

  /** What the flags say, before what the registry knows of a server of that name where they say no place. */
  async #body() {
    const { from, as } = this.flags
    const said = serverBody(this.flags)
    const env = variablesFrom(this.flags['from-env'] ?? [])
    const given = { ...said, ...(Object.keys(env).length && { env_json: JSON.stringify(env) }) }
    if (from || said.endpoint || said.command) return { ...given, name: as ?? this.args.name }
    const listed = await listedCalled(this.api, this.args.name)
    this.out.note(trustLine(listed))
    return { ...(await draftFrom(listed, said.env_json ? null : env)), ...said, name: as ?? nameOf(listed) }
  }
}
