import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { find } from '../../lookup/find.ts'

export default class ChatsUninvite extends ApiCommand<typeof ChatsUninvite> {
  static override summary = 'Remove somebody from a group chat'
  static override description =
    'The person hears no more of its answers. What a role in the workspace lets them see, they can still see.'
  static override examples = ['$ <%= config.bin %> chats uninvite CHAT ada@example.com --yes']
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    user: Args.string({ required: true, description: 'email or id of the person' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { chat, user } = this.args
    const { participants } = await this.api.chats.participants({ chatId: chat })
    const id = await find(
      {
        noun: 'participant',
        next: 'muster chats participants CHAT',
        rows: async ({ offset }) => (offset ? [] : participants.map((it) => ({ id: it.user_id, ...it }))),
        names: ({ email }) => (email ? [email] : []),
      },
      user.toLowerCase(),
    )
    await this.confirm(`Take ${user} out of the chat?`)
    await this.api.chats.uninvite({ chatId: chat, userId: id })
    await this.out.done(`Removed ${user} from the chat.`)
  }
}
