import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'

export default class AgentsStop extends ApiCommand<typeof AgentsStop> {
  static override summary = 'Cancel everything that an agent is doing'
  static override examples = ['$ <%= config.bin %> agents stop ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const { agent } = this.args
    const work = async () => this.api.agents.stop({ agentId: await agentId(this.api, agent) })
    const stopped = await this.progress(`Stopping ${agent}`, work)
    await this.out.done(`Agent ${agent} is ${stopped.status}.`, stopped, {
      name: (it) => it.agent_id,
      columns: { ID: (it) => it.agent_id, STATUS: (it) => it.status },
    })
  }
}
