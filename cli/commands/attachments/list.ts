import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentOfChat } from '../../lookup/chat-agent.ts'
import { attachmentView } from '../../views/attachments.ts'

export default class AttachmentsList extends ApiCommand<typeof AttachmentsList> {
  static override summary = 'List the files that people gave to a chat, newest first'
  static override examples = [
    '$ <%= config.bin %> attachments list CHAT',
    "$ <%= config.bin %> attachments list CHAT --jq '.[].agent_path'",
  ]
  static override args = { chat: Args.string({ required: true, description: 'id of the chat' }) }
  static override flags = {
    agent: Flags.string({ description: 'slug or id of the agent; found by the chat when left out' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { chat } = this.args
    const agentId = await agentOfChat(this.api, chat, this.flags.agent)
    await this.out.list(limited(await this.api.attachments.list({ agentId, chatId: chat }), this.flags), attachmentView)
  }
}
