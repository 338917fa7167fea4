import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'

export default class ChatsReact extends ApiCommand<typeof ChatsReact> {
  static override summary = 'React to a message with an emoji'
  static override description = 'Everybody in the chat sees it. The agent is not told.'
  static override examples = ['$ <%= config.bin %> chats react CHAT MESSAGE 👍']
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    message: Args.string({ required: true, description: 'the message, as `muster chats messages` shows it' }),
    emoji: Args.string({ required: true, description: '1 to 8 emoji' }),
  }

  async run(): Promise<void> {
    const { chat, message, emoji } = this.args
    await this.api.chats.react({ chatId: chat, messageId: message, body: { emoji } })
    await this.out.done(`Reacted with ${emoji}.`)
  }
}
