import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { type Window, windowed, windowFlags } from '../../flags.ts'
import { cleanLine } from '../../output/clean.ts'
import { reactionsLine } from '../../views/chat-people.ts'
import { messageView } from '../../views/chats.ts'

export default class ChatsMessages extends ApiCommand<typeof ChatsMessages> {
  static override summary = 'Show the messages of a chat, oldest first'
  static override description = 'Shows the newest messages unless an offset is given.'
  static override examples = [
    '$ <%= config.bin %> chats messages CHAT',
    "$ <%= config.bin %> chats messages CHAT --jq '.[-1].content'",
  ]
  static override args = { chat: Args.string({ required: true, description: 'id of the chat' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const messages = await this.messages()
    if (this.out.wanted.format !== 'auto' || !this.out.terminal || !messages.length)
      return this.out.list(messages, messageView)
    for (const { role, content, ts, reactions } of messages) {
      this.out.write(this.out.paint(role === 'user' ? 'cyan' : 'green', cleanLine(role)))
      this.out.text(` ${ts}\n${content}\n`)
      if (reactions) this.out.text(`${reactionsLine(reactions)}\n`)
      this.out.text('\n')
    }
  }

  /** Without an offset the service gives the newest, so that all of them begin with one of 0. */
  private messages() {
    const { all } = this.flags
    const page = async (window: Window) =>
      (await this.api.chats.messages({ chatId: this.args.chat, query: { ...(all && { offset: 0 }), ...window } }))
        .messages
    return windowed(this.flags, page)
  }
}
