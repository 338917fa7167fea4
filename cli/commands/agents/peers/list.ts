import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { limited, listFlags } from '../../../flags.ts'
import { agentId } from '../../../lookup.ts'
import { age } from '../../../output/cell.ts'

export default class AgentsPeersList extends ApiCommand<typeof AgentsPeersList> {
  static override summary = 'List the people about whom an agent keeps a card'
  static override result = { of: ['agents.peers'] }
  static override hiddenAliases = ['agents:peers']
  static override examples = ['$ <%= config.bin %> agents peers list ada']
  static override next = { agent_crewless: 'muster agents update AGENT --crew CREW' }
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const { peers } = await this.api.agents.peers({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.list(limited(peers, this.flags), {
      name: ({ user_id }) => user_id,
      empty: 'The agent keeps no cards about people.',
      columns: {
        ID: ({ user_id }) => user_id,
        CARD: ({ user_slug }) => user_slug,
        BYTES: ({ bytes }) => bytes,
        AGE: ({ updated_at }) => age(updated_at),
      },
    })
  }
}
