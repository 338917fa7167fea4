import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { participantView } from '../../views/chat-people.ts'

export default class ChatsParticipants extends ApiCommand<typeof ChatsParticipants> {
  static override summary = 'List the people of a group chat'
  static override description = 'A chat to which nobody was added has none.'
  static override examples = [
    '$ <%= config.bin %> chats participants CHAT',
    '$ <%= config.bin %> chats participants CHAT --json=email,role',
  ]
  static override args = { chat: Args.string({ required: true, description: 'id of the chat' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const { participants } = await this.api.chats.participants({ chatId: this.args.chat })
    await this.out.list(limited(participants, this.flags), participantView)
  }
}
