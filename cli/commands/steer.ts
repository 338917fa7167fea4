import { Args, Flags } from '@oclif/core'
import { steerOnce } from '../chat/send-once.ts'
import { ApiCommand } from '../command.ts'
import { InputError, stdinText } from '../input.ts'

export default class Steer extends ApiCommand<typeof Steer> {
  static override summary = 'Tell an agent something for its next turn in a chat'
  static override description =
    'The message is kept in the chat; the agent reads it with its next turn, and starts none for it unless you say ' +
    '--begin. A turn that goes on is not told: `muster chats cancel` ends it.'
  static override hiddenAliases = ['chats:steer']
  static override examples = [
    '$ <%= config.bin %> steer CHAT "Use SQLite, not a file"',
    '$ <%= config.bin %> steer CHAT "Then run the tests" --begin',
    '$ <%= config.bin %> steer CHAT - < notes.md',
  ]
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    text: Args.string({ required: true, description: 'message, or - to read it from standard input' }),
  }

  static override flags = {
    begin: Flags.boolean({ description: 'have a turn for it: now, or when the one that goes on has ended' }),
  }

  async run(): Promise<void> {
    const text = this.args.text === '-' ? await stdinText() : this.args.text
    if (!text.trim()) throw new InputError('The message is empty.')
    const queued = await steerOnce(this.api, this.args.chat, text, this.flags.begin)
    await this.out.done(this.said(queued), queued, {
      name: ({ message_id }) => message_id,
      columns: { MESSAGE: (it) => it.message_id, 'IN-FLIGHT': (it) => (it.in_flight ? 'yes' : 'no') },
    })
  }
  private said({ in_flight, run_id }: Awaited<ReturnType<typeof steerOnce>>): string {
    if (run_id) return `No run went on. Run ${run_id} has started for it.`
    if (in_flight && this.flags.begin) return 'Queued: the agent is at work, and has a turn for it afterwards.'
    if (in_flight) return 'Queued: the agent is at work and reads it with its next turn.'
    return 'No run goes on. The message is kept: the agent reads it with its next turn. --begin begins one.'
  }
}
