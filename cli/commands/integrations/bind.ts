import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { serverFor } from '../../integrations/find.ts'
import { bindingBody, bindingFlags } from '../../integrations/flags.ts'
import { agentId } from '../../lookup.ts'
import { bindingView } from '../../views/integrations.ts'

export default class IntegrationsBind extends ApiCommand<typeof IntegrationsBind> {
  static override summary = 'Bind an agent to an MCP server, with a credential or without one'
  static override description =
    'A server that agents are bound to is for these agents alone. Of two servers of that name the one of the crew is ' +
    'meant. With --disabled it is taken from the agent.'
  static override examples = [
    '$ <%= config.bin %> integrations bind ada search --credential search-key',
    '$ <%= config.bin %> integrations bind ada search --credential search-key --type api_key',
    '$ <%= config.bin %> integrations bind bo search --disabled',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    integration: Args.string({ required: true, description: 'name of the integration' }),
  }
  static override flags = {
    ...bindingFlags,
    disabled: Flags.boolean({ description: 'the agent does not use it' }),
  }

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const { server, open } = await serverFor(this.api, id, this.args.integration)
    const off = this.flags.disabled ? { enabled: false } : {}
    const body = { ...server, ...(await bindingBody(this.api, this.flags)), ...off }
    const row = await this.api.integrations.bind({ agentId: id, body })
    const said = this.flags.disabled ? 'Took' : 'Bound'
    await this.out.done(
      said === 'Took'
        ? `Took ${row.server_name} from ${this.args.agent}.`
        : `Bound ${this.args.agent} to ${row.server_name}.`,
      row,
      bindingView,
    )
    if (open)
      this.out.note(
        `${row.server_name} was open to all agents, and is for bound agents alone now. ` +
          `Next: muster integrations bind AGENT ${row.server_name}`,
        'yellow',
      )
  }
}
