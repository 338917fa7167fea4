import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { yesFlag } from '../../../flags.ts'
import { peerId } from '../../../lookup/peers.ts'
import { agentId } from '../../../lookup.ts'

export default class AgentsPeersRemove extends ApiCommand<typeof AgentsPeersRemove> {
  static override summary = 'Delete the card that an agent keeps about a person'
  static override description = 'For managers, and for the person whom it is about.'
  static override hiddenAliases = ['agents:remove-peer']
  static override examples = ['$ <%= config.bin %> agents peers remove ada eve@example.com --yes']
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    user: Args.string({ required: true, description: 'email or id of the person' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { agent, user } = this.args
    const id = await agentId(this.api, agent)
    const userId = await peerId(this.api, workspaceInUse(this.session), id, user)
    await this.confirm(`Delete the card of ${agent} about ${user}?`)
    await this.api.agents.removePeer({ agentId: id, userId })
    await this.out.done(`Deleted the card about ${user}.`)
  }
}
