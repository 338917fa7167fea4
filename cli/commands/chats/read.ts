import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'

export default class ChatsRead extends ApiCommand<typeof ChatsRead> {
  static override summary = 'Mark a chat as read'
  static override examples = ['$ <%= config.bin %> chats read ada CHAT']
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    chat: Args.string({ required: true, description: 'id of the chat' }),
  }

  async run(): Promise<void> {
    const { agent, chat } = this.args
    const read = await this.api.chats.read({ agentId: await agentId(this.api, agent), chatId: chat })
    await this.out.done(`Marked as read up to ${read.last_read_at}.`, read, {
      name: ({ chat_id }) => chat_id,
      columns: { CHAT: ({ chat_id }) => chat_id, READ: (it) => it.last_read_at },
    })
  }
}
