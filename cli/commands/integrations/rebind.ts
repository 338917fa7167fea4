import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { bindingTo } from '../../integrations/find.ts'
import { bindingBody, bindingFlags } from '../../integrations/flags.ts'
import { agentId } from '../../lookup.ts'

export default class IntegrationsRebind extends ApiCommand<typeof IntegrationsRebind> {
  static override summary = 'Change what an agent is bound to'
  static override examples = [
    '$ <%= config.bin %> integrations rebind ada search --credential other-key',
    '$ <%= config.bin %> integrations rebind ada search --no-enabled',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    integration: Args.string({ required: true, description: 'name of the integration' }),
  }
  static override flags = {
    ...bindingFlags,
    enabled: Flags.boolean({ allowNo: true, description: 'the agent uses it' }),
  }

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const { id: bindingId, server_name } = await bindingTo(this.api, id, this.args.integration)
    const enabled = given<{ enabled?: boolean }>({ enabled: this.flags.enabled })
    const body = { ...(await bindingBody(this.api, this.flags)), ...enabled }
    const reply = await this.api.integrations.rebind({ agentId: id, bindingId, body })
    await this.out.done(`Changed what binds ${this.args.agent} to ${server_name}.`, reply)
  }
}
