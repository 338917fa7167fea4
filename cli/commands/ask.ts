import { Args, Flags } from '@oclif/core'
import type { RunFrame } from '#contract/frames'
import { sendOrAnswer } from '../chat/answering.ts'
import { type AskedOptions, answerOn, denyRest, offerAll } from '../chat/asked.ts'
import { type Answer, type Sent, takeTurn } from '../chat/once.ts'
import { PlainOutput } from '../chat/plain-output.ts'
import { promptOf } from '../chat/prompt.ts'
import { nextOf } from '../chat/remedies.ts'
import { unanswered } from '../chat/send-once.ts'
import { tryToSend } from '../chat/tried.ts'
import type { TurnEvent } from '../chat/turn.ts'
import { ApiCommand } from '../command.ts'
import { exits } from '../failure.ts'
import { durationMs, given } from '../flags.ts'
import { type Filling, fillingOf, type Message } from '../forms/filling.ts'
import { InputError, interactive } from '../input.ts'
import { agentId } from '../lookup.ts'
import { cleanLine } from '../output/clean.ts'
import { shellWord } from '../output/shell-word.ts'
import { colored, painter } from '../output/theme.ts'
import { checkPlace, receiptFlag, writeReceipt } from '../receipts/write.ts'
import { onQuestionFlag, Unattended } from '../runs/unattended.ts'

const codes = { COMPLETED: exits.ok, FAILED: exits.other, TIMEOUT: 124, RUNNING: exits.conflict } as const
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
/** Longest wait for a run to end after it was cancelled: a client that does not listen is killed after 10 s. */
const farewellMs = 20_000

export default class Ask extends ApiCommand<typeof Ask> {
  static override summary = 'Ask an agent one question and print its answer'
  static override description =
    'Writes only the answer to standard output; progress goes to standard error, at a terminal or with -v. The ' +
    'question is taken from the arguments, from standard input, or from both in this order. With --form it is made ' +
    'of the answers to a form of the agent: those of --field, and at a terminal those that you are asked ' +
    'for.\n\nWhat the agent asks ' +
    'people is offered to you at a terminal; elsewhere the command ends with 5 and names the command that ' +
    'answers. With --on-question deny it is denied in your name, as far as you may decide it, and the command goes ' +
    'on until the run ends.\n\nExits with 0 when the run completed, 1 when it failed, 5 when it waits for a person, ' +
    '124 when it timed out and 130 when it was cancelled. A receipt that cannot be had is an error of its own, whose ' +
    'code is that of the command where the run completed.\n\nCtrl-C cancels the run on the server; a second Ctrl-C ' +
    'leaves at once. The run also ends when nobody reads the answer any more, as with `| head -1`. With --detach it ' +
    'goes on.'
  static override result = {
    members: [
      'chat_id',
      'run_id',
      'status',
      'text',
      'tool_calls',
      'usage',
      'cost',
      'duration_ms',
      'error',
      'reason',
      'denied',
    ],
  }
  static override examples = [
    '$ <%= config.bin %> ask ada "Which tests fail, and why?"',
    '$ git diff | <%= config.bin %> ask ada "Review this change"',
    '$ <%= config.bin %> ask ada "Summarise the log" --json < build.log',
    '$ <%= config.bin %> ask ada "And in French?" --chat CHAT',
    '$ <%= config.bin %> ask ada "Write the report" --detach | head -1',
    '$ <%= config.bin %> ask ada "Write the report" --dry-run',
    '$ <%= config.bin %> ask ada --form expense --field amount=12.50 --field receipt=@bill.pdf',
    '$ <%= config.bin %> ask ada "Update the lock file" --on-question deny --timeout 10m',
    '$ <%= config.bin %> ask ada "Write the report" --receipt receipt.json',
  ]
  static override next = {
    run_open: 'muster runs receipt RUN, once it is over',
    chat_busy: 'wait until the agent is done, or leave out --chat',
    not_found: 'muster chats list AGENT',
  }
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    prompt: Args.string({ description: 'question (default: standard input)' }),
  }
  static override flags = {
    chat: Flags.string({ helpValue: 'ID', description: 'continue this chat (default: a new one)' }),
    form: Flags.string({ helpValue: 'FORM', description: 'fill in this form of the agent instead of a question' }),
    field: Flags.string({
      multiple: true,
      dependsOn: ['form'],
      helpValue: 'NAME=VALUE',
      description: 'answer to a field of the form, @FILE for a file; repeat it for several',
    }),
    attach: Flags.string({
      multiple: true,
      dependsOn: ['form'],
      helpValue: 'FILE',
      description: 'file that goes with the form and belongs to no field',
    }),
    'max-turns': Flags.integer({ min: 1, max: 200, description: 'maximum number of turns' }),
    timeout: Flags.string({ helpValue: 'DURATION', description: 'cancel the run after this time, such as 90s or 10m' }),
    stream: Flags.boolean({
      default: true,
      allowNo: true,
      description: 'print the answer as it arrives, or at the end',
    }),
    detach: Flags.boolean({ description: 'let the run go on when this command ends before it' }),
    undo: Flags.string({ default: '5s', helpValue: 'TIME', description: 'how long a decision can be undone' }),
    ...onQuestionFlag,
    ...receiptFlag,
    thinking: Flags.boolean({ description: "show the agent's reasoning on standard error" }),
  }

  private sent: (Sent & { chatId: string }) | undefined
  private stoppedWith: number | undefined
  private farewell: NodeJS.Timeout | undefined
  private output!: PlainOutput
  private undo = 0
  private unattended: Unattended | undefined

  async run(): Promise<void> {
    const timeout = durationMs(this.flags.timeout, '--timeout')
    this.undo = durationMs(this.flags.undo, '--undo') ?? 0
    if (this.flags.receipt !== undefined) checkPlace(this.flags.receipt)
    const message = await this.question()
    const { format } = this.out.wanted
    const plain = format === 'auto' || format === 'name' || format === 'table' || format === 'tsv'
    if (this.dry) return this.tryOut(await message())
    this.output = new PlainOutput({
      stdout: process.stdout,
      stderr: process.stderr,
      stream: plain && this.flags.stream,
      progress: !this.flags.quiet && (process.stderr.isTTY === true || this.flags.verbose === true),
      thinking: this.flags.thinking,
      paint: painter(colored(process.stderr)),
    })
    const release = this.listen(timeout)
    try {
      if (this.flags['on-question'] === 'deny')
        this.unattended = new Unattended(this.api, (text) => this.tellDenial(text))
      const answer = await this.turn(message, format === 'ndjson', plain && interactive() && !this.unattended)
      this.output.finish(plain ? answer.text : '')
      await this.conclude(answer, plain)
      await this.keepReceipt(answer)
    } finally {
      this.output.rest()
      release()
    }
  }

  /** Makes the message, once the chat is known that it is for. */
  private async question(): Promise<(chatId?: string) => Promise<Message>> {
    const { form, field = [], attach = [], chat } = this.flags
    if (form === undefined) {
      const content = await promptOf(this.args.prompt, (text) => this.out.note(text, 'dim'))
      return async () => ({ content })
    }
    if (this.args.prompt !== undefined)
      throw new InputError('--form takes the place of a question; give one of the two.')
    const note = (text: string) => this.out.note(text, 'yellow')
    const given = { fields: field, attach, asks: interactive(), chatId: chat, note }
    const { api, connection } = this
    const filling: Filling = await fillingOf({ api, connection }, this.args.agent, form, given)
    const { truncated, rendered_text } = await filling.complete()
    if (truncated.length) note(`Cut off at 2000 characters: ${truncated.join(', ')}.`)
    if (this.dry) this.out.text(`${rendered_text}\n`)
    return (chatId) => filling.message(chatId)
  }

  /** What would be sent, and whether a run would be admitted. */
  private async tryOut(message: Message): Promise<void> {
    const agent = await agentId(this.api, this.args.agent)
    const { chat } = this.flags
    const where = chat === undefined ? 'a new chat' : `chat ${chat}`
    this.out.note(`Would send ${[...message.content].length} characters to ${this.args.agent} in ${where}.`)
    if (chat === undefined) await this.attempt(this.api.chats.create({ agentId: agent, body: { origin: 'CLI' } }))
    const send = (chatId: string) => this.attempt(this.api.chats.send({ chatId, body: this.draft(message) }))
    if (!(await tryToSend(this.api, agent, { chat, send })))
      this.out.note(
        `Whether a run is admitted can only be tried once you have a chat with ${this.args.agent}.`,
        'yellow',
      )
    this.endTrying()
  }

  private draft(message: Message): Message & { max_turns?: number } {
    return given({
      content: message.content,
      metadata: message.metadata,
      max_turns: this.flags['max-turns'] || undefined,
    })
  }

  private async turn(message: (chatId: string) => Promise<Message>, frames: boolean, offers: boolean): Promise<Answer> {
    this.output.turn('Sending')
    const agent = await agentId(this.api, this.args.agent)
    const chatId = this.flags.chat ?? (await this.api.chats.create({ agentId: agent, body: { origin: 'CLI' } })).id
    const made = await message(chatId)
    const turning = {
      api: this.api,
      connection: this.connection,
      chatId,
      watching: {
        see: (event: TurnEvent) => this.output.see(event),
        ...(frames && { frame: (frame: RunFrame) => void this.out.item(frame, '') }),
        lost: () => this.output.turn('The connection is lost; trying again'),
        back: () => this.output.line('The connection is back.'),
      },
    }
    const over = new AbortController()
    const asked = this.asked(agent)
    // Optional: what is asked also stands in the inbox.
    if (offers) offerAll(asked, over.signal).catch((error: Error) => this.refused(error, over.signal))
    this.watchUnattended(over.signal)
    try {
      const answer = await takeTurn({ ...turning, send: () => this.send(chatId, made) })
      if (this.unattended) return await denyRest(this.api, this.unattended, answer)
      return offers ? await answerOn(asked, answer, turning) : answer
    } finally {
      over.abort()
    }
  }

  private tellDenial(text: string): void {
    this.output.part()
    this.out.note(text, 'yellow')
  }

  /** What is missed meanwhile is denied at the end of the turn. */
  private watchUnattended(signal: AbortSignal): void {
    const runId = () => this.sent?.runId
    this.unattended
      ?.watch(this.connection, this.session.workspace, { signal, runId })
      .catch((error: Error) => this.refused(error, signal))
  }

  private asked(agent: string): AskedOptions {
    return {
      api: this.api,
      connection: this.connection,
      workspace: this.session.workspace,
      agentId: agent,
      undo: this.undo,
      hold: () => this.output.hold(),
      release: () => this.output.release(),
    }
  }

  /** Ctrl-C at a question is Ctrl-C. */
  private refused(error: Error, over: AbortSignal): void {
    if (error.name === 'ExitPromptError') this.stop(130)
    else if (!over.aborted) this.out.note(error.message, 'yellow')
  }

  private async send(chatId: string, message: Message): Promise<Sent> {
    if (this.stoppedWith !== undefined) this.giveUp(this.late())
    const sure = interactive() ? (question: string) => this.sure(question) : null
    const { run_id, message_id } = await sendOrAnswer(this.api, chatId, this.draft(message), sure)
    if (run_id === null) throw new InputError(unanswered, 'say @SLUG in the message')
    const sent = { chatId, runId: run_id, messageId: message_id }
    this.sent = sent
    this.output.turn('Waiting')
    if (this.stoppedWith !== undefined) await this.cancel()
    return sent
  }

  private async sure(question: string): Promise<void> {
    this.output.hold()
    try {
      await this.confirm(`The agent asks: ${question}. Is this the answer?`)
    } finally {
      this.output.release()
    }
  }

  private async conclude(answer: Answer, plain: boolean): Promise<void> {
    const { denied } = this.unattended ?? {}
    if (!plain && this.out.wanted.format !== 'ndjson') await this.out.value({ ...answer, ...(denied && { denied }) })
    this.finish(answer.status === 'CANCELLED' ? (this.stoppedWith ?? exits.interrupted) : codes[answer.status])
    if (answer.status === 'COMPLETED' || !plain || this.stoppedWith === exits.ok) return
    if (answer.status === 'CANCELLED' && this.stoppedWith !== undefined)
      return this.out.note(this.stoppedWith === 124 ? this.late() : 'Cancelled.', 'yellow')
    if (answer.inbox_item_id) return this.waits(answer.inbox_item_id)
    const paint = painter(colored(process.stderr))
    process.stderr.write(
      `${paint('red', 'Error:')} ${cleanLine(answer.error ?? `The run ended as ${answer.status}.`)}\n`,
    )
    const show = `muster runs show ${shellWord(cleanLine(answer.run_id))}`
    process.stderr.write(`${paint('dim', 'Next:')} ${nextOf(answer.reason, this.args.agent) ?? show}\n`)
  }

  /** What the run's end says by its exit code stays. */
  private async keepReceipt({ run_id }: Answer): Promise<void> {
    const { receipt } = this.flags
    if (receipt === undefined) return
    const code = process.exitCode
    try {
      await writeReceipt(this.api, run_id, receipt)
    } catch (error) {
      await this.catch(error as Error)
      if (code) process.exitCode = code
    }
  }

  /** The agent has asked a person; the answer resumes the run. */
  private waits(item: string): void {
    this.out.note('The agent waits for an answer.', 'yellow')
    this.out.note(`Next: muster inbox act ${shellWord(item)} --answer TEXT`, 'dim')
  }

  private late(): string {
    return `The agent was not done after ${this.flags.timeout}; the run was cancelled.`
  }

  /** Interrupts and the time limit end the run on the server first. */
  private listen(timeout: number | undefined): () => void {
    const timer = timeout === undefined ? undefined : setTimeout(() => this.stop(124), timeout)
    const handlers = Object.entries(signals).map(([signal, code]) => [signal, () => this.stop(code)] as const)
    for (const [signal, handler] of handlers) process.on(signal, handler)
    const others = process.stdout.listeners('error') as ((error: Error) => void)[]
    const left = (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') void this.readerLeft()
      else for (const other of others) other(error)
    }
    process.stdout.removeAllListeners('error').on('error', left)
    return () => {
      process.stdout.off('error', left)
      for (const other of others) process.stdout.on('error', other)
      clearTimeout(timer)
      clearTimeout(this.farewell)
      for (const [signal, handler] of handlers) process.off(signal, handler)
    }
  }

  /** Nobody reads what the agent says any more. */
  private async readerLeft(): Promise<void> {
    if (this.stoppedWith !== undefined) return
    this.stoppedWith = exits.ok
    if (this.flags.detach) this.giveUp(this.goesOn())
    await this.cancel()
    this.giveUp('Nobody reads the answer any more; the run was cancelled. --detach lets it go on.')
  }

  private goesOn(): string {
    return `The run goes on. Next: muster runs logs ${shellWord(this.sent!.runId)} -f`
  }

  private stop(code: number): void {
    if (this.stoppedWith !== undefined) {
      if (code !== 124) process.exit(code)
      return
    }
    this.stoppedWith = code
    if (this.flags.detach && this.sent) this.giveUp(this.goesOn())
    if (!this.sent) {
      if (code !== 124) process.exit(code)
      return
    }
    void this.cancel()
  }

  private async cancel(): Promise<void> {
    this.output.turn('Cancelling')
    const left = () =>
      this.giveUp(`The run could not be cancelled and may go on. Next: muster runs show ${shellWord(this.sent!.runId)}`)
    this.farewell = setTimeout(left, farewellMs).unref()
    await this.api.chats.cancel({ chatId: this.sent!.chatId }).catch(left)
  }

  private giveUp(text: string): never {
    this.output.part()
    this.out.note(text, 'yellow')
    process.exit(this.stoppedWith)
  }
}
