import { Args } from '@oclif/core'
import { agentGiven } from '../../chat/choose-agent.ts'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { chatView } from '../../views/chats.ts'

export default class ChatsList extends ApiCommand<typeof ChatsList> {
  static override summary = 'List the chats with an agent, most recently active first'
  static override examples = ['$ <%= config.bin %> chats list ada', "$ <%= config.bin %> chats list ada --jq '.[0].id'"]
  static override args = {
    agent: Args.string({ description: 'slug or id of the agent; chosen from a list when left out' }),
  }
  static override flags = windowFlags

  async run(): Promise<void> {
    const agent = await agentGiven(this.api, this.args.agent, 'chats list')
    const rows = await windowed(this.flags, (query) => this.api.chats.list({ agentId: agent, query }), 100)
    await this.out.list(rows, chatView)
  }
}
