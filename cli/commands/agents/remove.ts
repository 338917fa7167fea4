import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { confirmFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { interrupted } from '../../runs/interrupted.ts'

export default class AgentsRemove extends ApiCommand<typeof AgentsRemove> {
  static override summary = 'Delete an agent'
  static override examples = [
    '$ <%= config.bin %> agents remove ada',
    '$ <%= config.bin %> agents rm ada --confirm ada',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = confirmFlags

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const { slug } = await this.api.agents.show({ agentId: id })
    const ends = await interrupted(this.api, { agents: [id] })
    await this.confirmName(`Delete agent ${slug} with its chats and files?${ends}`, slug)
    await this.api.agents.remove({ agentId: id })
    await this.out.done(`Deleted agent ${slug}.`)
  }
}
