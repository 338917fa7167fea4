import { Args, Flags } from '@oclif/core'
import { agentBody, agentFlags } from '../../bodies/agents.ts'
import { ApiCommand } from '../../command.ts'
import { agentId, crewId } from '../../lookup.ts'
import { agentView } from '../../views/agents.ts'

export default class AgentsUpdate extends ApiCommand<typeof AgentsUpdate> {
  static override summary = 'Change an agent'
  static override description = 'Changes only what is given. Empty text clears a field.'
  static override examples = [
    '$ <%= config.bin %> agents update ada --model claude-sonnet-4-6',
    '$ <%= config.bin %> agents update ada --prompt @ada.md --lead',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    name: Flags.string({ description: 'new name' }),
    slug: Flags.string({ description: 'new short name' }),
    crew: Flags.string({ description: 'crew of the agent; empty removes it from its crew' }),
    ...agentFlags,
  }

  async run(): Promise<void> {
    const crew = this.flags.crew ? await crewId(this.api, this.flags.crew) : this.flags.crew
    const agent = await this.api.agents.update({
      agentId: await agentId(this.api, this.args.agent),
      body: agentBody({ ...this.flags, crew }),
    })
    for (const warning of agent.warnings ?? []) this.out.note(warning, 'yellow')
    await this.out.done(`Changed agent ${agent.slug}.`, agent, agentView)
  }
}
