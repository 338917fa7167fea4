import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { whereIAm } from '../../inbox/here.ts'
import { userId } from '../../lookup.ts'

export default class ChatsInvite extends ApiCommand<typeof ChatsInvite> {
  static override summary = 'Add somebody of the workspace to a chat'
  static override description =
    'The chat is a group from then on: its agent answers only messages that mention it (@SLUG), and everybody in ' +
    'the chat hears of its answers in the inbox.'
  static override examples = [
    '$ <%= config.bin %> chats invite CHAT ada@example.com',
    '$ <%= config.bin %> chats invite CHAT ada@example.com --role owner',
  ]
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    user: Args.string({ required: true, description: 'email or id of the person' }),
  }
  static override flags = {
    role: Flags.option({ options: ['owner', 'member'] as const, description: 'a label, which grants nothing' })(),
  }

  async run(): Promise<void> {
    const { chat, user } = this.args
    // Whether there is such a chat is told before whether there is such a person.
    await this.api.chats.participants({ chatId: chat })
    const { workspaceId } = await whereIAm(this.api, this.session.workspace)
    const user_id = await userId(this.api, workspaceId, user)
    await this.api.chats.invite({ chatId: chat, body: given({ user_id, role: this.flags.role }) })
    await this.out.done(`${user} is in the chat; its agent answers only when it is mentioned.`)
  }
}
