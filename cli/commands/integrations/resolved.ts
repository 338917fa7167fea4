import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { resolvedView } from '../../views/integrations.ts'

export default class IntegrationsResolved extends ApiCommand<typeof IntegrationsResolved> {
  static override summary = 'List the MCP servers that an agent may use, each with the reason'
  static override aliases = ['integrations:resolve']
  static override examples = ['$ <%= config.bin %> integrations resolved ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const rows = await this.api.integrations.resolved({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.list(limited(rows, this.flags), resolvedView)
  }
}
