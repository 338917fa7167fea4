import type { ReadStream, WriteStream } from 'node:tty'
import type { Static } from 'typebox'
import type { Client, Connection } from '#client'
import type { Room } from '#contract/rooms'
import { Editor } from '../chat/editor.ts'
import type { Memory } from '../chat/memory.ts'
import { type Below, Page } from '../chat/page.ts'
import { Pastes } from '../chat/pastes.ts'
import { completeAmong, namesAmong, namesOf, slashOf, tableRows } from '../chat/slash.ts'
import { span } from '../markdown/rows.ts'
import { Talk } from './talk.ts'
import { tellWords } from './telling.ts'

export interface RoomSessionOptions {
  api: Client
  connection: Connection
  room: Static<typeof Room>
  /** Id of the person who talks. */
  me: string
  header: string[]
  memory: Memory
  input: ReadStream
  output: WriteStream
  /** What went wrong and what to type next. */
  explain(error: unknown): { what: string; next?: string }
}

const commands = {
  help: 'what can be typed here',
  who: 'who is in this room',
  history: 'show what was said before, `/history 50` for the last 50 messages',
  cancel: 'cancel what the agent is doing here',
  quit: 'leave',
} as const
type Command = keyof typeof commands
const keys = { 'Ctrl-C': 'empty the line, a second time leave', 'Ctrl-D': 'leave' }
/** Longer texts are not remembered on disk. */
const remembered = 20_000

/** A room at a terminal. */
export class RoomSession {
  private readonly it: RoomSessionOptions
  private readonly page: Page
  private readonly pastes = new Pastes()
  private readonly editor: Editor
  private readonly talk: Talk
  private readonly queue: string[] = []
  private readonly stop = new AbortController()
  private sending = false
  private connected = true
  private runId: string | null = null
  /** Ctrl-C was typed once and the next one leaves. */
  private armed = false
  private finish!: (code: number) => void
  private fail!: (error: unknown) => void
  private readonly over: Promise<number>

  constructor(options: RoomSessionOptions) {
    this.it = options
    this.over = new Promise((resolve, reject) => {
      this.finish = resolve
      this.fail = reject
    })
    this.page = new Page(options.output)
    this.page.screen.onResize = () => this.draw()
    this.talk = new Talk(options.api, options.connection, options.room.id, {
      heard: (messages) => tellWords(messages, this.page, options.me),
      working: (runId) => {
        this.runId = runId
        this.draw()
      },
      connected: (yes) => {
        this.connected = yes
        this.draw()
      },
    })
    this.editor = this.listen()
  }

  /** Runs until the person leaves, or `leave` is aborted with an exit code as its reason; resolves with the code. */
  async run(leave: AbortSignal): Promise<number> {
    leave.addEventListener('abort', () => this.finish(Number(leave.reason)))
    try {
      this.page.head(this.it.header)
      this.draw()
      this.talk.follow(this.stop.signal).catch((error: unknown) => this.fail(error))
      return await this.over
    } finally {
      this.stop.abort()
      this.page.screen.close()
      this.editor.close()
    }
  }

  private listen(): Editor {
    const { input, output, memory } = this.it
    return new Editor(input, output, {
      history: memory.history,
      complete: (text) => completeAmong(text, Object.keys(commands)),
      pastes: this.pastes,
      on: {
        submit: (text) => this.submit(text),
        interrupt: () => this.interrupt(),
        leave: () => this.finish(0),
        change: () => {
          this.armed = false
          this.draw()
        },
        clear: () => this.page.screen.clear(),
        suspend: () => this.page.screen.park(),
        resume: () => this.page.screen.resume(),
      },
    })
  }

  private submit(text: string): void {
    const whole = this.pastes.whole(text)
    if (whole.length <= remembered) this.it.memory.say(whole)
    const slash = slashOf(text)
    if (slash) void this.obey(slash.name, slash.rest)
    else if (whole.trim()) this.queue.push(text.trim().replace(/^\/\//, '/'))
    this.sayNext()
    this.draw()
  }

  private sayNext(): void {
    const text = this.sending ? undefined : this.queue.shift()
    if (text !== undefined) void this.say(text)
  }

  private async say(text: string): Promise<void> {
    this.sending = true
    try {
      await this.talk.say(this.pastes.whole(text))
      this.page.said(this.pastes.shown(text))
    } catch (error) {
      this.complain(error)
      this.editor.set([text, ...this.queue.splice(0), this.editor.text].filter(Boolean).join('\n'))
    }
    this.sending = false
    this.sayNext()
    this.draw()
  }

  private interrupt(): void {
    if (this.editor.text) this.editor.set('')
    else if (this.armed) this.finish(130)
    else {
      this.armed = true
      this.draw()
    }
  }

  private async obey(name: string, rest: string): Promise<void> {
    if (!Object.hasOwn(commands, name))
      return this.page.note(`There is no /${name}. /help tells what there is; //${name} says it in the room.`)
    const todo: Record<Command, () => unknown> = {
      help: () => this.page.commit('note', tableRows({ ...namesOf(commands), ...keys }, this.page.width)),
      who: () => this.tellMembers(),
      history: async () => tellWords(await this.talk.history(Number(rest) || 20), this.page, this.it.me),
      cancel: () => this.cancel(),
      quit: () => this.finish(0),
    }
    try {
      await todo[name as Command]()
    } catch (error) {
      this.complain(error)
    }
    this.draw()
  }

  private async tellMembers(): Promise<void> {
    const { members, agent } = await this.it.api.rooms.show({ conversationId: this.it.room.id })
    const people = members.map(({ full_name, user_id }) => full_name ?? user_id)
    this.page.note([...people, ...(agent ? [`@${agent.slug}`] : [])].join(', '))
  }

  private async cancel(): Promise<void> {
    if (!this.runId) return this.page.note('Nobody is at work here.')
    await this.it.api.runs.cancel({ runId: this.runId })
  }

  private complain(error: unknown): void {
    const { what, next } = this.it.explain(error)
    this.page.trouble(what, next)
  }

  private draw(): void {
    // Before everything is there, nothing can be shown.
    if (this.editor) this.page.draw(() => this.below())
  }

  private below(): Below {
    const { text, cursor } = this.editor
    const { shown } = this.pastes
    const agent = this.it.room.agent?.slug ?? 'the agent'
    const names = namesAmong(text, Object.keys(commands)).map((name) => `/${name}`)
    return {
      turn: this.runId ? [[], [span(`${agent} is at work · /cancel ends that`, 'dim')]] : [],
      warning: this.connected ? null : 'The connection is lost; trying again',
      queue: this.queue.map(shown),
      text: shown(text),
      cursor: shown(text.slice(0, cursor)).length,
      hint: this.armed ? 'Ctrl-C again leaves' : names.join('  ') || null,
    }
  }
}
