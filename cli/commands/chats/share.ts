import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { whereIAm } from '../../inbox/here.ts'
import { shellWord } from '../../output/shell-word.ts'

export default class ChatsShare extends ApiCommand<typeof ChatsShare> {
  static override summary = 'Tell colleagues how to read a chat'
  static override description =
    'Prints the command with which a member of the workspace reads the chat, signed in to this server. Nothing is ' +
    'made public and nothing is changed: there are no links that open a chat to strangers. `muster chats invite` ' +
    'adds somebody who is then told of answers; `muster chats export` writes a copy.'
  static override result = { members: ['chat_id', 'workspace', 'command'] }
  static override examples = [
    '$ <%= config.bin %> chats share CHAT',
    '$ <%= config.bin %> chats share CHAT --jq .command',
  ]
  static override args = { chat: Args.string({ required: true, description: 'id of the chat' }) }

  async run(): Promise<void> {
    const { chat } = this.args
    // Refuses a chat that is not there, or is foreign.
    await this.api.chats.participants({ chatId: chat })
    const { slug } = await whereIAm(this.api, this.session.workspace)
    const command = `muster chats messages ${shellWord(chat)} --all --workspace ${shellWord(slug)}`
    if (this.out.wanted.format !== 'auto') return this.out.value({ chat_id: chat, workspace: slug, command })
    this.out.text(`${command}\n`)
    this.out.note('Nothing was made public: members of the workspace can read it, signed in, and nobody else.', 'dim')
  }
}
