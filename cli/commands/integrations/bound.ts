import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { bindingView } from '../../views/integrations.ts'

export default class IntegrationsBound extends ApiCommand<typeof IntegrationsBound> {
  static override summary = 'List what an agent is bound to'
  static override examples = ['$ <%= config.bin %> integrations bound ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const rows = await this.api.integrations.bound({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.list(limited(rows, this.flags), bindingView)
  }
}
