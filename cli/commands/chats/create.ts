import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { agentId } from '../../lookup.ts'

export default class ChatsCreate extends ApiCommand<typeof ChatsCreate> {
  static override summary = 'Open a chat with an agent'
  static override examples = [
    '$ CHAT=$(<%= config.bin %> chats create ada)',
    '$ <%= config.bin %> chats create ada --id nightly-report',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    id: Flags.string({
      aliases: ['session-id'],
      description: 'id of your choice; the same id opens the same chat again',
    }),
  }

  async run(): Promise<void> {
    const { id } = this.flags
    const chat = await this.api.chats.create({
      agentId: await agentId(this.api, this.args.agent),
      body: given({ origin: 'CLI', session_id: id }),
    })
    await this.out.done(`Opened chat ${chat.id}.`, chat, {
      name: (it) => it.id,
      columns: { ID: (it) => it.id },
    })
  }
}
