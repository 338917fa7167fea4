import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { agentView } from '../../views/agents.ts'

export default class AgentsShow extends ApiCommand<typeof AgentsShow> {
  static override summary = 'Show an agent and the credential that pays for its model'
  static override examples = [
    '$ <%= config.bin %> agents show ada',
    '$ <%= config.bin %> agents show ada --jq .system_prompt',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.agents.show({ agentId: await agentId(this.api, this.args.agent) }), agentView)
  }
}
