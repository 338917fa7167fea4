import { Args, Flags } from '@oclif/core'
import { agentBody, agentFlags } from '../../bodies/agents.ts'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { askForAgent } from '../../new-agent.ts'
import { slugFor } from '../../slug.ts'
import { agentView } from '../../views/agents.ts'

export default class AgentsCreate extends ApiCommand<typeof AgentsCreate> {
  static override summary = 'Create an agent'
  static override examples = [
    '$ <%= config.bin %> agents create',
    '$ <%= config.bin %> agents create Ada --crew web-team',
    '$ <%= config.bin %> agents create "Code reviewer" --crew web-team --prompt @reviewer.md --profile MINIMAL',
  ]
  static override args = {
    name: Args.string({ description: 'name of the agent; asked for, with crew and adapter, when left out' }),
  }
  static override flags = {
    slug: Flags.string({ description: 'short name for commands (default: derived from the name)' }),
    crew: Flags.string({ description: 'crew of the agent' }),
    ...agentFlags,
  }

  async run(): Promise<void> {
    const { crew: given, adapter: chosen } = this.flags
    const { name, crew, adapter } =
      this.args.name === undefined
        ? await askForAgent(this.api, { crew: given, adapter: chosen })
        : { name: this.args.name, crew: given && (await crewId(this.api, given)), adapter: chosen }
    const slug = slugFor(name, this.flags.slug)
    const body = { ...agentBody({ ...this.flags, crew, adapter }), name, slug }
    const agent = await this.api.agents.create({ body })
    for (const warning of agent.warnings ?? []) this.out.note(warning, 'yellow')
    await this.out.done(`Created agent ${agent.slug}.`, agent, agentView)
  }
}
