import type { Client } from '#client'
import { choicesOf, type Decision, wordsOf } from '../inbox/decisions.ts'
import { cleanLine } from '../output/clean.ts'
import type { Page } from './page.ts'
import type { Pastes } from './pastes.ts'
import { commandOf, Questions } from './questions.ts'
import { questionRows } from './transcript.ts'

export interface AnswersOptions {
  api: Client
  agentId: string
  /** How long a decision can be taken back, in milliseconds. */
  undo: number
  page: Page
  pastes: Pastes
  /** What is being typed. */
  line(): string
  chatId(): string | null
  /** Puts words that were not sent into the line. */
  putBack(words: string[]): void
  complain(error: unknown): void
  changed(): void
}

/** How what the agent asks is shown in a chat, and decided there. */
export class Answers {
  private readonly it: AnswersOptions
  private readonly questions: Questions
  /** The line was begun before something was asked, or is not to answer it. */
  private speaking = false

  constructor(options: AnswersOptions) {
    this.it = options
    this.questions = new Questions({
      api: options.api,
      agentId: options.agentId,
      undo: options.undo,
      on: {
        asked: (item) => {
          this.speaking = options.line() !== ''
          options.page.commit('note', questionRows(item, options.page.width))
        },
        gone: (item) => options.page.note(`Settled elsewhere: ${cleanLine(item.title)}`),
        sent: (decision, error) => this.sent(decision, error),
        changed: () => options.changed(),
      },
    })
  }

  /** Looks what the agent asks; `waitsFor`: what it is known to ask somebody. */
  look(waitsFor: string | null = null): void {
    const told = () => {
      if (waitsFor && !this.questions.has(waitsFor)) this.it.page.note('It waits for the answer of somebody else.')
    }
    this.questions.refresh().then(told, () => undefined)
  }

  /** Names of the commands that decide what is asked. */
  get commands(): string[] {
    return this.questions.current ? choicesOf(this.questions.current).map(commandOf) : []
  }

  /** The line that is typed now answers what the agent asks in this chat. */
  get expected(): boolean {
    return !this.speaking && this.asksHere
  }

  /** The agent asks something in this chat, or in none, that words answer. */
  private get asksHere(): boolean {
    const chat = (this.questions.current?.payload?.['context'] as { chat?: unknown } | undefined)?.chat
    if (!this.questions.choice('answer')) return false
    return chat === undefined || chat === this.it.chatId()
  }

  /** The run of this chat waits for an answer: what is said besides is for its next turn. */
  get waits(): boolean {
    return this.asksHere && this.questions.current?.kind === 'run_needs_human'
  }

  /** What the keys do with the line. */
  get keys(): string | null {
    if (!this.asksHere) return null
    return this.speaking ? 'Enter says it · Esc makes it the answer' : 'Enter answers · Esc makes it a message'
  }

  /** Makes an answer of the line, or a message. */
  turnOver(): void {
    this.speaking = this.asksHere && !this.speaking
    this.it.changed()
  }

  /** A line was entered or taken away: the next one begins. */
  begin(): void {
    this.speaking = false
  }

  /** Decides by a command; false when it is none of those that decide. */
  decide(command: string, words: string): boolean {
    const choice = this.questions.choice(command)
    if (!choice) return false
    if (choice.text?.required && !words) this.it.page.note(`Say what: /${command} TEXT`)
    else if (words && !choice.text) this.it.page.note(`/${command} takes no words.`)
    else this.questions.decide(choice, this.it.pastes.whole(words))
    return true
  }

  /** Takes back what was decided last; false when there is nothing to take back. */
  undo(): boolean {
    const back = this.questions.undo()
    if (!back) return false
    this.it.page.note(`${wordsOf(back.choice)[0]} was taken back.`)
    if (back.text) this.it.putBack([back.text])
    return true
  }

  later(): void {
    this.questions.later()
  }

  /** Something can be taken back. */
  get pending(): boolean {
    return this.questions.undecided !== null
  }

  /** What can be done about what is asked, or what is about to be sent. */
  get status(): string | null {
    const { current, count, undecided } = this.questions
    if (undecided) return `${wordsOf(undecided.decision.choice)[0]} in ${undecided.seconds} s · Ctrl-C takes it back`
    if (!current) return null
    const ways = this.commands.map((name) => (name === 'answer' && this.expected ? 'Enter answers' : `/${name}`))
    return [...ways, '/later', ...(count > 1 ? [`${count - 1} more`] : [])].join(' · ')
  }

  /** Ends it; what is decided is sent first, or forgotten. */
  async close(send: boolean): Promise<void> {
    if (send) await this.questions.flush()
    this.questions.drop()
  }

  private sent({ item, choice, text }: Decision, error?: unknown): void {
    if (error === undefined) {
      this.it.page.note(`${wordsOf(choice)[1]}: ${cleanLine(item.title)}`)
      return
    }
    this.it.complain(error)
    if (text) this.it.putBack([text])
  }
}
