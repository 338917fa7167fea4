import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { peerId } from '../../../lookup/peers.ts'
import { agentId } from '../../../lookup.ts'

export default class AgentsPeersShow extends ApiCommand<typeof AgentsPeersShow> {
  static override summary = 'Show the card that an agent keeps about a person'
  static override description = 'The journal records who read it.'
  static override result = { of: ['agents.peer'] }
  static override hiddenAliases = ['agents:peer']
  static override examples = ['$ <%= config.bin %> agents peers show ada eve@example.com']
  static override next = { not_found: 'muster agents peers list AGENT' }
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    user: Args.string({ required: true, description: 'email or id of the person' }),
  }

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const userId = await peerId(this.api, workspaceInUse(this.session), id, this.args.user)
    await this.out.show(await this.api.agents.peer({ agentId: id, userId }), {
      name: ({ content }) => content,
      columns: {
        Person: ({ user_id }) => user_id,
        Card: ({ user_slug }) => user_slug,
        Bytes: ({ bytes }) => bytes,
        Text: ({ content }) => content,
      },
    })
  }
}
