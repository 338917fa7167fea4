import { Args, Flags } from '@oclif/core'
import { agentBody, agentFlags } from '../../bodies/agents.ts'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { slugFor } from '../../slug.ts'
import { agentView } from '../../views/agents.ts'

export default class AgentsCreate extends ApiCommand<typeof AgentsCreate> {
  static override summary = 'Create an agent'
  static override examples = [
    '$ <%= config.bin %> agents create Ada --crew web-team',
    '$ <%= config.bin %> agents create "Code reviewer" --crew web-team --prompt @reviewer.md --profile MINIMAL',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the agent' }) }
  static override flags = {
    slug: Flags.string({ description: 'short name for commands (default: derived from the name)' }),
    crew: Flags.string({ description: 'crew of the agent' }),
    ...agentFlags,
  }

  async run(): Promise<void> {
    const { name } = this.args
    const slug = slugFor(name, this.flags.slug)
    const crew = this.flags.crew && (await crewId(this.api, this.flags.crew))
    const agent = await this.api.agents.create({ body: { ...agentBody({ ...this.flags, crew }), name, slug } })
    await this.out.done(`Created agent ${agent.slug}.`, agent, agentView)
  }
}
