import { Args, Flags } from '@oclif/core'
import { exportChat, markdownOf } from '../../chat/export.ts'
import { ApiCommand } from '../../command.ts'
import { cleanJson } from '../../output/clean.ts'

export default class ChatsExport extends ApiCommand<typeof ChatsExport> {
  static override summary = 'Export a whole chat as Markdown or JSON'
  static override description =
    'Writes to standard output. Markdown is to be read, with people and the agent by name; JSON has everything ' +
    'that is stored of each message. Attachments are listed, not included.'
  static override result = {
    members: ['format', 'chat_id', 'title', 'agent', 'participants', 'people', 'attachments', 'messages'],
  }
  static override examples = [
    '$ <%= config.bin %> chats export CHAT > chat.md',
    '$ <%= config.bin %> chats export CHAT --format json > chat.json',
  ]
  static override args = { chat: Args.string({ required: true, description: 'id of the chat' }) }
  static override flags = {
    format: Flags.option({ options: ['md', 'json'] as const, default: 'md', description: 'what to write' })(),
  }

  async run(): Promise<void> {
    const whole = await exportChat(this.api, this.args.chat, this.session.workspace)
    if (this.out.wanted.format !== 'auto') return this.out.value(whole)
    this.out.text(this.flags.format === 'json' ? `${cleanJson(JSON.stringify(whole, null, 2))}\n` : markdownOf(whole))
  }
}
