import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { bindingTo } from '../../integrations/find.ts'
import { agentId } from '../../lookup.ts'

export default class IntegrationsUnbind extends ApiCommand<typeof IntegrationsUnbind> {
  static override summary = 'End what an agent is bound to'
  static override description = 'A server that nobody is bound to any more is for all agents.'
  static override examples = ['$ <%= config.bin %> integrations unbind ada search']
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    integration: Args.string({ required: true, description: 'name of the integration' }),
  }

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const { id: bindingId, server_name } = await bindingTo(this.api, id, this.args.integration)
    const gone = await this.api.integrations.unbind({ agentId: id, bindingId })
    await this.out.done(`${this.args.agent} is no longer bound to ${server_name}.`, gone)
  }
}
