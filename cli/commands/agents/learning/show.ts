import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { agentId } from '../../../lookup.ts'
import { learningView } from '../../../views/learning.ts'

export default class AgentsLearningShow extends ApiCommand<typeof AgentsLearningShow> {
  static override summary = 'Show whether an agent may change itself'
  static override result = { of: ['agents.learning'] }
  static override hiddenAliases = ['agents:learning']
  static override examples = ['$ <%= config.bin %> agents learning show ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const shown = await this.api.agents.learning({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.show(shown, learningView)
  }
}
