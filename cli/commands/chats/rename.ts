import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { chatView } from '../../views/chats.ts'

export default class ChatsRename extends ApiCommand<typeof ChatsRename> {
  static override summary = 'Rename a chat'
  static override examples = ['$ <%= config.bin %> chats rename ada CHAT "Release notes"']
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    chat: Args.string({ required: true, description: 'id of the chat' }),
    title: Args.string({ required: true, description: 'the new title' }),
  }

  async run(): Promise<void> {
    const { agent, chat, title } = this.args
    const renamed = await this.api.chats.rename({
      agentId: await agentId(this.api, agent),
      chatId: chat,
      body: { title },
    })
    await this.out.done(`Renamed the chat to "${renamed.title}".`, renamed, chatView)
  }
}
