import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { confirm } from '../../input.ts'
import { agentId } from '../../lookup.ts'

export default class AgentsRemove extends ApiCommand<typeof AgentsRemove> {
  static override summary = 'Delete an agent'
  static override examples = ['$ <%= config.bin %> agents remove ada', '$ <%= config.bin %> agents remove ada --yes']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const { slug } = await this.api.agents.show({ agentId: id })
    await confirm(`Delete agent ${slug}?`, this.flags.yes)
    await this.api.agents.remove({ agentId: id })
    await this.out.done(`Deleted agent ${slug}.`)
  }
}
