import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { chatView } from '../../views/chats.ts'

export default class ChatsList extends ApiCommand<typeof ChatsList> {
  static override summary = 'List the chats with an agent, most recently active first'
  static override examples = ['$ <%= config.bin %> chats list ada', "$ <%= config.bin %> chats list ada --jq '.[0].id'"]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const chats = await this.api.chats.list({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.list(limited(chats, this.flags), chatView)
  }
}
