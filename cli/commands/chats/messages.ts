import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowFlags, windowOf } from '../../flags.ts'
import { cleanLine } from '../../output/clean.ts'
import { messageView } from '../../views/chats.ts'

export default class ChatsMessages extends ApiCommand<typeof ChatsMessages> {
  static override summary = 'Show the messages of a chat, oldest first'
  static override description = 'Shows the newest messages unless an offset is given.'
  static override examples = [
    '$ <%= config.bin %> chats messages CHAT',
    "$ <%= config.bin %> chats messages CHAT --jq '.messages[-1].content'",
  ]
  static override args = { chat: Args.string({ required: true, description: 'id of the chat' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const reply = await this.api.chats.messages({ chatId: this.args.chat, query: windowOf(this.flags) })
    if (this.out.wanted.format !== 'auto' || !this.out.terminal || !reply.messages.length)
      return this.out.list(reply.messages, messageView, reply)
    for (const { role, content, ts } of reply.messages) {
      this.out.write(this.out.paint(role === 'user' ? 'cyan' : 'green', cleanLine(role)))
      this.out.text(` ${ts}\n${content}\n\n`)
    }
  }
}
