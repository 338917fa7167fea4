import { Args, Flags } from '@oclif/core'
import { sendOrAnswer } from '../../chat/answering.ts'
import { unanswered } from '../../chat/send-once.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { InputError, interactive, stdinText } from '../../input.ts'

export default class ChatsSend extends ApiCommand<typeof ChatsSend> {
  static override summary = 'Send a message to a chat, which starts a run'
  static override description =
    'Does not wait for the answer: `muster chats stream` shows it, and `muster ask` does both. If the agent waits ' +
    'for an answer in the chat, the message is that answer; at a terminal you are asked first.'
  static override examples = [
    '$ <%= config.bin %> chats send CHAT "Write the release notes"',
    '$ <%= config.bin %> chats send CHAT - < question.md',
  ]
  static override args = {
    chat: Args.string({ required: true, description: 'id of the chat' }),
    text: Args.string({ required: true, description: 'message, or - to read it from standard input' }),
  }
  static override flags = {
    'max-turns': Flags.integer({
      min: 0,
      max: 200,
      helpValue: 'N',
      description: 'maximum number of turns; 0 for the default',
    }),
  }

  async run(): Promise<void> {
    const content = this.args.text === '-' ? await stdinText() : this.args.text
    if (!content.trim()) throw new InputError('The message is empty.')
    const turns = this.flags['max-turns']
    const sent = await sendOrAnswer(this.api, this.args.chat, given({ content, max_turns: turns }), (question) =>
      this.ask(question),
    )
    const view = {
      name: (it: typeof sent) => it.run_id ?? it.message_id,
      columns: { RUN: (it: typeof sent) => it.run_id, MESSAGE: (it: typeof sent) => it.message_id },
    }
    const started = sent.answers ? `Answered: run ${sent.run_id} goes on.` : `Run ${sent.run_id} has started.`
    const said = sent.run_id === null ? unanswered : started
    await this.out.done(said, sent, view)
  }

  private async ask(question: string): Promise<void> {
    if (interactive()) await this.confirm(`The agent asks: ${question}. Is this the answer?`)
  }
}
