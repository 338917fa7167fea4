import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { reactionView } from '../../views/chat-people.ts'

export default class ChatsReactions extends ApiCommand<typeof ChatsReactions> {
  static override summary = 'List the reactions to a message, the most frequent first'
  static override examples = [
    '$ <%= config.bin %> chats reactions CHAT MESSAGE',
    "$ <%= config.bin %> chats reactions CHAT MESSAGE --jq '.[].emoji'",
  ]
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    message: Args.string({ required: true, description: 'the message, as `muster chats messages` shows it' }),
  }
  static override flags = listFlags

  async run(): Promise<void> {
    const { chat, message } = this.args
    const { reactions } = await this.api.chats.reactions({ chatId: chat, messageId: message })
    await this.out.list(limited(reactions, this.flags), reactionView)
  }
}
