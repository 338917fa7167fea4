import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentOfChat } from '../../lookup/chat-agent.ts'
import { type Uploaded, upload } from '../../uploads.ts'

const view = {
  name: ({ path }: Uploaded) => path,
  columns: {
    ID: ({ id }: Uploaded) => id,
    FILE: ({ filename }: Uploaded) => filename,
    PATH: ({ agent_path }: Uploaded) => agent_path,
  },
}

export default class ChatsAttach extends ApiCommand<typeof ChatsAttach> {
  static override summary = 'Give a file to the agent of a chat'
  static override description =
    "Copies a file of at most 25 MB into the agent's folder, and prints its path there, below the folder in which " +
    'the agent works. The same file again is the same attachment. The crew must be running.'
  static override result = { of: ['attachments.create'] }
  static override hiddenAliases = ['attachments:create']
  static override examples = [
    '$ <%= config.bin %> chats attach CHAT bill.pdf',
    '$ <%= config.bin %> chats attach CHAT bill.pdf --json=path',
  ]
  static override next = { crew_not_running: 'muster crews start CREW', not_found: 'muster chats list AGENT' }
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    file: Args.string({ required: true, description: 'file of this machine' }),
  }
  static override flags = {
    agent: Flags.string({ description: 'slug or id of the agent; found by the chat when left out' }),
  }

  async run(): Promise<void> {
    const { chat, file } = this.args
    const agentId = await agentOfChat(this.api, chat, this.flags.agent)
    const sent = await this.progress('Sending the file', upload(this.connection, { agentId, chatId: chat, file }))
    await this.out.done(`Gave ${sent.filename} to the agent.`, sent, view)
  }
}
