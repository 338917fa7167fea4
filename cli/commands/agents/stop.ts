import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { status } from '../../output/cell.ts'

export default class AgentsStop extends ApiCommand<typeof AgentsStop> {
  static override summary = 'Cancel everything that an agent is doing'
  static override result = { of: ['agents.stop'], members: ['slug'] }
  static override examples = ['$ <%= config.bin %> agents stop ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const { agent } = this.args
    const id = await agentId(this.api, agent)
    const stopped = await this.progress(`Stopping ${agent}`, this.api.agents.stop({ agentId: id }))
    const slug = agent === id ? (await this.api.agents.show({ agentId: id })).slug : agent
    await this.out.done(
      `Agent ${slug} is ${stopped.status.toLowerCase()}.`,
      { ...stopped, slug },
      {
        name: (it) => it.slug,
        columns: { NAME: (it) => it.slug, STATUS: (it) => status(it.status) },
      },
    )
  }
}
