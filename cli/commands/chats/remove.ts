import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { agentId } from '../../lookup.ts'

export default class ChatsRemove extends ApiCommand<typeof ChatsRemove> {
  static override summary = 'Delete a chat and its messages'
  static override examples = [
    '$ <%= config.bin %> chats remove ada CHAT',
    '$ <%= config.bin %> chats remove ada CHAT --yes',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    chat: Args.string({ required: true, description: 'id of the chat' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { agent, chat } = this.args
    const id = await agentId(this.api, agent)
    await this.confirm(`Delete chat ${chat} with its messages?`)
    await this.api.chats.remove({ agentId: id, chatId: chat })
    await this.out.done(`Deleted chat ${chat}.`)
  }
}
