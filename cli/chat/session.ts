// Long because the whole screen of a chat is one state: what is typed, what goes on, and what is asked.
import type { ReadStream, WriteStream } from 'node:tty'
import type { Client, Connection } from '#client'
import type { Delegated, Delivery } from '#contract/frames'
import { span } from '../markdown/rows.ts'
import { shellWord } from '../output/shell-word.ts'
import { waiting } from './answering.ts'
import { Answers } from './answers.ts'
import { type Collided, collisionRow, interleaved } from './collided.ts'
import { Conversation } from './conversation.ts'
import { delegatedRow } from './delegated.ts'
import { Editor } from './editor.ts'
import type { Memory } from './memory.ts'
import { type Below, Page } from './page.ts'
import { Pastes } from './pastes.ts'
import { nextOf } from './remedies.ts'
import { unanswered } from './send-once.ts'
import { completeSlash, helpRows, isSlash, type Slash, slashNames, slashOf } from './slash.ts'
import { fateOf, markOf, type Steered } from './steered.ts'
import type { Said } from './stored.ts'
import { tellMessage } from './transcript.ts'
import type { Turn, TurnEvent } from './turn.ts'
import { footer, TurnView } from './turn-view.ts'

export interface ChatSessionOptions {
  api: Client
  connection: Connection
  agent: { id: string; slug: string }
  /** Lines above everything else. */
  header: string[]
  chatId: string | null
  memory: Memory
  thinking: boolean
  input: ReadStream
  output: WriteStream
  /** How long a decision can be taken back, in milliseconds. */
  undo: number
  /** Listens to the inbox as long as the session lasts. */
  calls(signal: AbortSignal, on: Calls): Promise<void>
  /** What went wrong and what to type next. */
  explain(error: unknown): { what: string; next?: string }
}

/** What a session wants to know of the inbox. */
export interface Calls {
  /** Something new needs the user. */
  tell(text: string): void
  openChat(): string | null
  /** Anything in it has changed. */
  changed(): void
}

const tickMs = 100
/** Longer texts are not remembered on disk. */
const remembered = 20_000
/** Messages shown again when a chat is continued. */
const recalled = 2

/** A chat with an agent at a terminal. */
export class ChatSession {
  private readonly it: ChatSessionOptions
  private readonly page: Page
  private readonly editor: Editor
  private readonly pastes = new Pastes()
  private readonly answers: Answers
  private conversation: Conversation
  private view: TurnView | null = null
  private thinking: boolean
  /** Messages typed while another one was on its way; sent one by one. */
  private readonly queue: string[] = []
  /** Messages that the server keeps for the agent's next step or turn, oldest first. */
  private steered: Steered[] = []
  /** What was told of messages before it was known that they are from here. */
  private readonly fates = new Map<string, Delivery>()
  private sending = false
  private cancelling = false
  private connected = true
  /** Ctrl-C was typed once and the next one leaves. */
  private armed = false
  private clock: NodeJS.Timeout | null = null
  private readonly stop = new AbortController()
  private finish!: (code: number) => void
  private fail!: (error: unknown) => void
  private readonly over: Promise<number>

  constructor(options: ChatSessionOptions) {
    this.it = options
    this.thinking = options.thinking
    this.over = new Promise((resolve, reject) => {
      this.finish = resolve
      this.fail = reject
    })
    this.page = new Page(options.output)
    this.page.screen.onResize = () => this.draw()
    this.conversation = this.open(options.chatId)
    this.answers = this.listenToAgent()
    this.editor = this.listen()
  }

  /** Runs until the user leaves; resolves with the exit code. Aborting `leave` ends it with the reason as the code. */
  async run(leave: AbortSignal): Promise<number> {
    leave.addEventListener('abort', () => this.finish(Number(leave.reason)))
    try {
      this.page.head(this.it.header)
      this.draw()
      this.listenToInbox()
      await this.conversation.enter(recalled, (messages, collided) => this.tell(messages, collided, true))
      this.answers.look()
      this.draw()
      const code = await this.over
      await this.answers.close(code === 0)
      if (this.conversation.turn && !this.cancelling)
        this.page.note(`The agent goes on. Come back to it: muster chat ${shellWord(this.it.agent.slug)}`)
      return code
    } finally {
      this.stop.abort()
      void this.answers.close(false)
      this.conversation.close()
      if (this.clock) clearInterval(this.clock)
      this.page.screen.close()
      this.editor.close()
    }
  }

  private listen(): Editor {
    const { input, output, memory } = this.it
    const change = () => {
      this.armed = false
      if (!this.editor?.text) this.answers.begin()
      this.draw()
    }
    return new Editor(input, output, {
      history: memory.history,
      complete: (text) => completeSlash(text, this.answers.commands),
      pastes: this.pastes,
      on: {
        submit: (text) => this.submit(text),
        interrupt: () => this.interrupt(),
        leave: () => this.finish(0),
        change,
        clear: () => this.page.screen.clear(),
        escape: () => this.answers.turnOver(),
        suspend: () => this.page.screen.park(),
        resume: () => this.page.screen.resume(),
      },
    })
  }

  private listenToInbox(): void {
    const on: Calls = {
      tell: (text) => this.page.note(text),
      openChat: () => this.conversation.chatId,
      changed: () => this.answers.look(),
    }
    // Optional: the chat works without it.
    this.it.calls(this.stop.signal, on).catch(() => undefined)
  }

  private listenToAgent(): Answers {
    const { api, agent, undo } = this.it
    return new Answers({
      api,
      agentId: agent.id,
      undo,
      page: this.page,
      pastes: this.pastes,
      line: () => this.editor.text,
      chatId: () => this.conversation.chatId,
      putBack: (words) => this.putBack(words),
      complain: (error) => this.complain(error),
      changed: () => this.draw(),
    })
  }

  private open(chatId: string | null): Conversation {
    return new Conversation(this.it.api, this.it.connection, this.it.agent.id, chatId, {
      turn: (turn) => (turn ? this.began(turn) : this.ended()),
      see: (event) => this.see(event),
      heard: (text, id) => this.heard(text, id),
      delivery: (id, delivery) => this.settle(id, delivery),
      connected: (yes) => {
        this.connected = yes
        this.draw()
      },
      missed: () => this.page.note('Something was said here while the connection was lost: /history'),
      failed: (error) => this.fail(error),
    })
  }

  private began(turn: Turn): void {
    const { page } = this
    this.view = new TurnView(turn, {
      width: () => page.width,
      commit: page.commit,
      thinking: () => this.thinking,
      last: () => page.last,
    })
    if (this.cancelling) this.view.say('Cancelling')
    this.draw()
  }

  private see(event: TurnEvent): void {
    if (event.type === 'delegated') this.tellDelegated(event.work)
    else if (event.type === 'collision') this.tellCollision(event.summary)
    else this.view?.see(event)
    const next = event.type === 'error' ? nextOf(event.reason, this.it.agent.slug) : null
    if (next) this.page.advice(next)
    this.draw()
  }

  private tellDelegated(work: Delegated): void {
    this.view?.flush()
    this.page.commit('tool', [delegatedRow(work, this.page.width)])
  }

  private tellCollision(summary: string): void {
    this.view?.flush()
    this.page.commit('note', [collisionRow(summary, this.page.width)])
  }

  private ended(): void {
    const turn = this.view?.turn
    const took = turn && footer(turn.tools.size, turn.result)
    if (this.cancelling) this.page.note('Cancelled.')
    else if (took) this.page.note(took)
    if (this.cancelling) this.keep()
    this.view = null
    this.cancelling = false
    if (turn?.waitsFor) this.answers.look(turn.waitsFor)
    this.draw()
    this.sayNext()
  }

  private submit(text: string): void {
    const whole = this.pastes.whole(text)
    if (whole.length <= remembered) this.it.memory.say(whole)
    const slash = slashOf(text)
    const said = text.trim().replace(/^\/\//, '/')
    if (slash) void this.obey(slash.name, slash.rest)
    else if (this.answers.expected && said === text.trim()) this.answers.decide('answer', said)
    else this.queue.push(said)
    this.answers.begin()
    this.sayNext()
    this.draw()
  }

  private sayNext(): void {
    if (this.sending) return
    const text = this.queue.shift()
    if (text === undefined) return
    // What follows a queued message is queued, too.
    const later = this.conversation.busy || this.steered.length > 0 || this.answers.waits
    void (later ? this.steer(text) : this.say(text)).then(() => this.sayNext())
  }

  /** Has a message said in the turn that goes on, or after it. */
  private async steer(text: string, begin = true): Promise<void> {
    this.sending = true
    try {
      const { id, begun, delivery } = await this.conversation.steer(this.pastes.whole(text), begin)
      if (begun) {
        this.page.said(this.pastes.shown(text))
        this.page.note('The turn before had ended already: this begins the next one.')
      } else {
        this.steered.push({ id, text, begin, delivery: 'pending' })
        this.settle(id, this.fates.get(id) ?? delivery)
      }
    } catch (error) {
      this.unsaid(error, text)
    }
    this.sending = false
    this.draw()
  }

  /** A message was refused. It may be the answer that the agent waits for: that is seen by what it asks. */
  private unsaid(error: unknown, text: string): void {
    this.complain(error)
    this.putBack([text, ...this.queue.splice(0)])
    if (waiting(error)) this.answers.look()
  }

  /** What became of a message. It stays below until the agent is told. */
  private settle(id: string, delivery: Delivery): void {
    const message = this.steered.find((it) => it.id === id)
    if (!message) return void this.fates.set(id, delivery)
    message.delivery = delivery
    if (delivery === 'delivered' || (delivery === 'queued' && !message.begin)) {
      this.steered = this.steered.filter((it) => it !== message)
      this.view?.flush()
      this.page.said(this.pastes.shown(message.text))
      this.page.note(fateOf(delivery))
    }
    this.draw()
  }

  /** What was queued before a message has its turn together with it. */
  private heard(text: string, id: string): void {
    const at = this.steered.findIndex((it) => it.id === id)
    const mine = this.steered.splice(0, at < 0 ? this.steered.length : at + 1)
    for (const { text: said } of mine) this.page.said(this.pastes.shown(said))
    if (at < 0) this.page.said(text)
  }

  /** A cancelled turn is followed by none. */
  private keep(): void {
    const kept = this.steered.splice(0)
    for (const { text } of kept) this.page.said(this.pastes.shown(text))
    if (kept.length) this.page.note('Kept in the chat: the agent reads it with your next message.')
  }

  private async say(text: string): Promise<void> {
    const { conversation } = this
    const before = conversation.chatId
    this.page.said(this.pastes.shown(text))
    this.sending = true
    try {
      const { answered } = await conversation.say(this.pastes.whole(text))
      if (!answered) this.page.note(unanswered)
    } catch (error) {
      this.unsaid(error, text)
    }
    this.sending = false
    if (conversation.chatId && conversation.chatId !== before) this.it.memory.enter(conversation.chatId)
    this.draw()
  }

  /** Puts what was not sent into the editor, before what is typed there. */
  private putBack(unsent: string[]): void {
    if (unsent.length) this.editor.set([...unsent, ...(this.editor.text ? [this.editor.text] : [])].join('\n'))
  }

  private complain(error: unknown): void {
    const { what, next } = this.it.explain(error)
    this.page.trouble(what, next)
  }

  private interrupt(): void {
    if (this.answers.undo()) return
    if (this.conversation.turn || this.sending) {
      if (this.cancelling) this.finish(130)
      else void this.cancel()
    } else if (this.editor.text) this.editor.set('')
    else if (this.armed) this.finish(130)
    else {
      this.armed = true
      this.draw()
    }
  }

  private async cancel(): Promise<void> {
    const unsent = this.queue.splice(0)
    this.putBack(unsent)
    if (unsent.length)
      this.page.note(
        unsent.length === 1
          ? 'Your next message was not sent; it is back in the line.'
          : `Your next ${unsent.length} messages were not sent; they are back in the line.`,
      )
    if (!this.conversation.turn && !this.sending) return this.page.note('The agent does nothing at the moment.')
    this.cancelling = true
    this.view?.say('Cancelling')
    this.draw()
    try {
      await this.conversation.cancel()
    } catch (error) {
      this.cancelling = false
      this.complain(error)
    }
  }

  private async obey(name: string, rest: string): Promise<void> {
    if (this.answers.decide(name, rest)) return
    if (!isSlash(name))
      return this.page.note(`There is no /${name}. /help tells what there is; //${name} says it to the agent.`)
    const commands: Record<Slash, () => unknown> = {
      help: () => this.page.commit('note', helpRows(this.page.width)),
      new: () => this.renew(),
      history: () => this.recall(Number(rest) || 10),
      steer: () => this.tellAside(rest),
      cancel: () => this.cancel(),
      thinking: () => {
        this.thinking = !this.thinking
        this.page.note(
          this.thinking ? 'What the agent thinks is shown from now on.' : 'What the agent thinks is hidden.',
        )
      },
      later: () => this.answers.later(),
      undo: () => this.answers.undo() || this.page.note('There is nothing to take back.'),
      quit: () => this.finish(0),
    }
    try {
      await commands[name]()
    } catch (error) {
      this.complain(error)
    }
    this.draw()
  }

  /** Says something that begins no turn. */
  private async tellAside(text: string): Promise<void> {
    if (!text.trim()) return this.page.note('Say what: /steer TEXT')
    if (!this.conversation.chatId) return this.page.note('Nothing was said here yet: say it as a message.')
    await this.steer(text, false)
  }

  /** The chat is created with its first message. */
  private renew(): void {
    if (this.conversation.turn || this.sending) return void this.page.note('The agent is at work. /cancel ends that.')
    this.conversation.close()
    this.conversation = this.open(null)
    this.page.note('A new chat.')
  }

  private async recall(count: number): Promise<void> {
    const messages = await this.conversation.messages(Math.min(500, Math.max(1, count)))
    if (!messages.length) this.page.note('Nothing was said here yet.')
    this.tell(messages, await this.conversation.collisions())
  }

  /** `brief`: long messages of people are cut. */
  private tell(messages: readonly Said[], collided: readonly Collided[], brief = false): void {
    const telling = { width: this.page.width, thinking: this.thinking, brief, commit: this.page.commit }
    for (const it of interleaved(messages, collided)) {
      if ('summary' in it) this.tellCollision(it.summary)
      else tellMessage(it, telling)
    }
  }

  private draw(): void {
    // Before everything is there, nothing can be shown.
    if (!this.editor) return
    this.tick()
    this.page.draw(() => this.below())
  }

  private below(): Below {
    const { text, cursor } = this.editor
    const { shown } = this.pastes
    return {
      turn: this.view?.rows() ?? (this.sending ? [[], [span(this.cancelling ? 'Cancelling' : 'Sending', 'dim')]] : []),
      warning: this.connected ? this.answers.status : 'The connection is lost; trying again',
      queue: [...this.steered.map(({ text: said }) => said), ...this.queue].map(shown),
      ...(this.steered.length && { queued: markOf(this.steered) }),
      text: shown(text),
      cursor: shown(text.slice(0, cursor)).length,
      ...(this.answers.expected && { mark: '?' }),
      hint: this.hint,
    }
  }

  private get hint(): string | null {
    if (this.armed) return 'Ctrl-C again leaves'
    const names = slashNames(this.editor.text, this.answers.commands)
    if (names.length) return names.map((name) => `/${name}`).join('  ')
    if (this.pastes.shown(this.editor.text) !== this.editor.text) return 'Ctrl-O expands what was pasted'
    return this.editor.text ? this.answers.keys : null
  }

  /** The clock runs while something is going on. */
  private tick(): void {
    const busy = this.view !== null || this.answers.pending
    if (busy && !this.clock) this.clock = setInterval(() => this.draw(), tickMs)
    if (busy || !this.clock) return
    clearInterval(this.clock)
    this.clock = null
  }
}
