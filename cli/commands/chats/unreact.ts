import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'

export default class ChatsUnreact extends ApiCommand<typeof ChatsUnreact> {
  static override summary = 'Take back your reaction to a message'
  static override examples = ['$ <%= config.bin %> chats unreact CHAT MESSAGE 👍']
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    message: Args.string({ required: true, description: 'the message, as `muster chats messages` shows it' }),
    emoji: Args.string({ required: true, description: 'the emoji that you reacted with' }),
  }

  async run(): Promise<void> {
    const { chat, message, emoji } = this.args
    await this.api.chats.unreact({ chatId: chat, messageId: message, emoji })
    await this.out.done(`Took ${emoji} back.`)
  }
}
