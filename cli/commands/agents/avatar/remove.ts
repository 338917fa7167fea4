import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { yesFlag } from '../../../flags.ts'
import { agentId } from '../../../lookup.ts'

export default class AgentsAvatarRemove extends ApiCommand<typeof AgentsAvatarRemove> {
  static override summary = 'Remove the stored picture of an agent'
  static override hiddenAliases = ['agents:remove-avatar']
  static override examples = ['$ <%= config.bin %> agents avatar remove ada --yes']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { agent } = this.args
    const id = await agentId(this.api, agent)
    await this.confirm(`Remove the picture of ${agent}?`)
    await this.api.agents.removeAvatar({ agentId: id })
    await this.out.done(`Removed the picture of ${agent}.`)
  }
}
