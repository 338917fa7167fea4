import type { ReadStream, WriteStream } from 'node:tty'
import type { Client, Connection } from '#client'
import { type Row, span, wrap } from '../markdown/rows.ts'
import { pad } from '../output/width.ts'
import { Conversation } from './conversation.ts'
import { Editor } from './editor.ts'
import type { Memory } from './memory.ts'
import { Page } from './page.ts'
import { nextOf } from './remedies.ts'
import { completeSlash, isSlash, keys, type Slash, slashCommands, slashOf } from './slash.ts'
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
  /** Told with something new in the inbox that needs the user, as long as the session lasts. */
  calls?: (signal: AbortSignal, tell: (text: string) => void, openChat: () => string | null) => Promise<void>
  /** What went wrong and what to type next. */
  explain(error: unknown): { what: string; next?: string }
}

const tickMs = 100
/** Messages shown again when a chat is continued. */
const recalled = 2

/** A chat with an agent at a terminal. */
export class ChatSession {
  private readonly it: ChatSessionOptions
  private readonly page: Page
  private readonly editor: Editor
  private conversation: Conversation
  private view: TurnView | null = null
  private thinking: boolean
  /** Messages typed while the agent was busy; sent one by one. */
  private readonly queue: string[] = []
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
    this.editor = this.listen()
  }

  /** Runs until the user leaves; resolves with the exit code. Aborting `leave` ends it with the reason as the code. */
  async run(leave: AbortSignal): Promise<number> {
    leave.addEventListener('abort', () => this.finish(Number(leave.reason)))
    try {
      this.page.head(this.it.header)
      this.draw()
      // Optional: the chat works without it.
      this.it
        .calls?.(
          this.stop.signal,
          (text) => this.page.note(text),
          () => this.conversation.chatId,
        )
        ?.catch(() => undefined)
      await this.conversation.enter(recalled, (messages) => this.tell(messages))
      this.draw()
      const code = await this.over
      if (this.conversation.turn && !this.cancelling)
        this.page.note(`The agent goes on. Come back to it: muster chat ${this.it.agent.slug}`)
      return code
    } finally {
      this.stop.abort()
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
      this.draw()
    }
    return new Editor(input, output, {
      history: memory.history,
      complete: completeSlash,
      on: {
        submit: (text) => this.submit(text),
        interrupt: () => this.interrupt(),
        leave: () => this.finish(0),
        change,
        clear: () => this.page.screen.clear(),
        suspend: () => this.page.screen.park(),
        resume: () => this.page.screen.resume(),
      },
    })
  }

  private open(chatId: string | null): Conversation {
    return new Conversation(this.it.api, this.it.connection, this.it.agent.id, chatId, {
      turn: (turn) => (turn ? this.began(turn) : this.ended()),
      see: (event) => this.see(event),
      heard: (text) => this.page.said(text),
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
    this.view?.see(event)
    const next = event.type === 'error' ? nextOf(event.reason, this.it.agent.slug) : null
    if (next) this.page.advice(next)
    this.draw()
  }

  private ended(): void {
    const turn = this.view?.turn
    const took = turn && footer(turn.tools.size, turn.result)
    if (this.cancelling) this.page.note('Cancelled.')
    else if (took) this.page.note(took)
    this.view = null
    this.cancelling = false
    this.draw()
    this.sayNext()
  }

  private submit(text: string): void {
    this.it.memory.say(text)
    const slash = slashOf(text)
    if (slash) void this.obey(slash.name, slash.rest)
    else this.queue.push(text.trim().replace(/^\/\//, '/'))
    this.sayNext()
    this.draw()
  }

  private sayNext(): void {
    if (this.sending || this.conversation.turn) return
    const text = this.queue.shift()
    if (text !== undefined) void this.say(text)
  }

  private async say(text: string): Promise<void> {
    const { conversation } = this
    const before = conversation.chatId
    this.page.said(text)
    this.sending = true
    try {
      await conversation.say(text)
    } catch (error) {
      this.complain(error)
      this.takeBack([text])
    }
    this.sending = false
    if (conversation.chatId && conversation.chatId !== before) this.it.memory.enter(conversation.chatId)
    this.draw()
  }

  /** Puts the unsent message back into the editor. */
  private takeBack(unsaid: string[]): void {
    const texts = [...unsaid, ...this.queue.splice(0)]
    if (texts.length && !this.editor.text) this.editor.set(texts.join('\n'))
  }

  private complain(error: unknown): void {
    const { what, next } = this.it.explain(error)
    this.page.trouble(what, next)
  }

  private interrupt(): void {
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
    this.takeBack([])
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
    if (!isSlash(name))
      return this.page.note(`There is no /${name}. /help tells what there is; //${name} says it to the agent.`)
    const commands: Record<Slash, () => unknown> = {
      help: () => this.help(),
      new: () => this.renew(),
      history: () => this.recall(Number(rest) || 10),
      cancel: () => this.cancel(),
      thinking: () => {
        this.thinking = !this.thinking
        this.page.note(
          this.thinking ? 'What the agent thinks is shown from now on.' : 'What the agent thinks is hidden.',
        )
      },
      quit: () => this.finish(0),
    }
    try {
      await commands[name]()
    } catch (error) {
      this.complain(error)
    }
    this.draw()
  }

  private help(): void {
    const row = ([name, about]: [string, string]): Row => [span(pad(name, 11), 'cyan'), span(about)]
    const names = Object.entries(slashCommands).map(([name, about]) => row([`/${name}`, about]))
    const rows = [...names, ...Object.entries(keys).map(row)]
    this.page.commit(
      'note',
      rows.flatMap((it) => wrap(it, this.page.width)),
    )
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
    this.tell(messages)
  }

  private tell(messages: readonly Said[]): void {
    for (const message of messages) tellMessage(message, this.page.width, this.thinking, this.page.commit)
  }

  private draw(): void {
    // Before everything is there, nothing can be shown.
    if (!this.editor) return
    this.tick()
    this.page.draw({
      turn: this.view?.rows() ?? (this.sending ? [[], [span(this.cancelling ? 'Cancelling' : 'Sending', 'dim')]] : []),
      warning: this.connected ? null : 'The connection is lost; trying again',
      queue: this.queue,
      text: this.editor.text,
      cursor: this.editor.cursor,
      hint: this.armed ? 'Ctrl-C again leaves' : null,
    })
  }

  /** The clock runs while something is going on. */
  private tick(): void {
    if (this.view && !this.clock) this.clock = setInterval(() => this.draw(), tickMs)
    if (this.view || !this.clock) return
    clearInterval(this.clock)
    this.clock = null
  }
}
