import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { agentOfChat } from '../../lookup/chat-agent.ts'

export default class AttachmentsRemove extends ApiCommand<typeof AttachmentsRemove> {
  static override summary = 'Delete a file of a chat'
  static override description =
    'The agent cannot read the file any more. What a stopped crew still has of it goes when the crew runs again.'
  static override examples = [
    '$ <%= config.bin %> attachments remove CHAT bill.pdf',
    '$ <%= config.bin %> attachments remove CHAT bill.pdf --yes',
  ]
  static override next = { not_found: 'muster chats list AGENT' }
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    attachment: Args.string({ required: true, description: 'file of the chat, by its name or as the list shows it' }),
  }
  static override flags = {
    agent: Flags.string({ description: 'slug or id of the agent; found by the chat when left out' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { chat, attachment } = this.args
    const agentId = await agentOfChat(this.api, chat, this.flags.agent)
    const id = await this.idOf(agentId)
    await this.confirm(`Delete ${attachment} from chat ${chat}?`)
    await this.api.attachments.remove({ agentId, chatId: chat, attachmentId: id })
    await this.out.done(`Deleted ${attachment}.`)
  }

  /** Of the file that was named; what is not known is left to the service, to which it is deleted already. */
  private async idOf(agentId: string): Promise<string> {
    const { chat, attachment } = this.args
    const all = await this.api.attachments.list({ agentId, chatId: chat })
    const named = all.filter(({ id, filename }) => id === attachment || filename === attachment)
    if (named.length > 1)
      throw new InputError(`The chat has ${named.length} files ${attachment}.`, `muster attachments list ${chat}`)
    return named[0]?.id ?? attachment
  }
}
