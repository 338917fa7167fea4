import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'

export default class ChatsCancel extends ApiCommand<typeof ChatsCancel> {
  static override summary = 'Cancel what the agent is doing in a chat'
  static override examples = ['$ <%= config.bin %> chats cancel CHAT']
  static override args = { chat: Args.string({ required: true, description: 'id of the chat' }) }

  async run(): Promise<void> {
    const ended = await this.api.chats.cancel({ chatId: this.args.chat })
    const view = {
      name: (it: typeof ended) => it.run_id ?? '',
      columns: { CHAT: (it: typeof ended) => it.chat_id, RUN: (it: typeof ended) => it.run_id },
    }
    await this.out.done(ended.run_id ? `Run ${ended.run_id} is being ended.` : 'Nothing was going on.', ended, view)
  }
}
