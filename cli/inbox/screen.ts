import type { ReadStream, WriteStream } from 'node:tty'
import type { Client, Connection } from '#client'
import type { Choice } from '../decisions/choices.ts'
import { cleanLine } from '../output/clean.ts'
import { colored, painter } from '../output/theme.ts'
import { canBeUnread, choicesOf, type Decision, type Detail, send, wordsOf } from './decisions.ts'
import { answerLabel, type Frame, filterLabel, frameOf, jumpLabel, type Remark } from './frame.ts'
import { FullScreen } from './full-screen.ts'
import { ItemList } from './item-list.ts'
import { Keyboard } from './keyboard.ts'
import { actionOf, type ChoiceKey, isChoiceKey, type KeyAction, keysOf } from './keys.ts'
import { type News, news } from './news.ts'
import { Pending } from './pending.ts'

export interface InboxScreenOptions {
  api: Client
  connection: Connection
  workspace: { id: string; slug: string }
  query: ConstructorParameters<typeof ItemList>[1]
  /** How long a decision can be taken back, in milliseconds. */
  undo: number
  input: ReadStream
  output: WriteStream
  /** What went wrong, in a sentence. */
  explain(error: unknown): string
}

/** How often the ages of items are drawn anew, in milliseconds. */
const agesMs = 30_000
const tickMs = 250

/** What the usual keys say where the item offers nothing for them. */
const unfit: Partial<Record<ChoiceKey, string>> = {
  a: 'This cannot be approved here.',
  d: 'This cannot be denied here.',
  r: 'There is no question to answer here.',
  t: 'This cannot be taken over here.',
  x: 'This cannot be resolved here.',
}

/** The inbox on a terminal: a list, the chosen item below it, and one key for each decision. */
export class InboxScreen {
  private readonly it: InboxScreenOptions
  private readonly itemList: ItemList
  private readonly screen: FullScreen
  private readonly pending: Pending
  private readonly stop = new AbortController()
  private keyboard: Keyboard<KeyAction> | null = null
  private mode: 'list' | 'item' | 'help' = 'list'
  private scroll = 0
  /** What is being typed, in front of it. */
  private label = answerLabel
  private frame: Frame | null = null
  private remark: Remark | null = null
  private leaving = false
  /** How many decisions were refused when the person asked to leave. */
  private failedBefore = 0
  private connected = true
  private clock: NodeJS.Timeout | null = null
  private readonly ages: NodeJS.Timeout
  private finish!: (code: number) => void
  private fail!: (error: unknown) => void
  private readonly over: Promise<number>

  constructor(options: InboxScreenOptions) {
    this.it = options
    this.over = new Promise((resolve, reject) => {
      this.finish = resolve
      this.fail = reject
    })
    this.itemList = new ItemList(options.api, options.query)
    this.pending = new Pending({
      window: options.undo,
      send: (decision) => send(options.api, decision),
      sent: (decision, error) => this.sent(decision, error),
      changed: () => this.draw(),
    })
    this.screen = new FullScreen(options.output, painter(colored(options.output)))
    this.screen.onResize = () => this.draw()
    this.ages = setInterval(() => this.draw(), agesMs)
  }

  /**
   * Shows the inbox until the person leaves; the exit code, and how many decisions were sent and were not. `leave`
   * makes them, its reason is the code then.
   */
  async run(leave: AbortSignal): Promise<{ code: number; sent: number; unsent: number }> {
    leave.addEventListener('abort', () => this.finish(Number(leave.reason)))
    const on = {
      action: (action: KeyAction) => this.perform(action),
      change: () => this.draw(),
      clear: () => this.screen.clear(),
      hungUp: () => this.finish(129),
      suspend: () => this.screen.park(),
      resume: () => this.screen.resume(),
    }
    this.keyboard = new Keyboard(this.it.input, this.it.output, on, actionOf)
    try {
      this.draw()
      void this.follow()
      const code = await this.over
      const unsent = this.pending.size
      this.pending.drop()
      return { code, sent: this.pending.sent, unsent }
    } finally {
      this.stop.abort()
      clearInterval(this.ages)
      if (this.clock) clearInterval(this.clock)
      this.screen.close()
      this.keyboard.close()
    }
  }

  /** Follows new and decided items as they come. */
  private async follow(): Promise<void> {
    const { connection, workspace } = this.it
    try {
      await this.refresh()
      for await (const event of news(connection, `workspace:${workspace.id}`, { signal: this.stop.signal }))
        await this.heard(event)
    } catch (error) {
      if (!this.stop.signal.aborted) this.fail(error)
    }
  }

  private async heard(event: News): Promise<void> {
    if (event.type === 'event' && event.name !== 'inbox.updated') return
    this.connected = event.type !== 'lost'
    if (this.connected) await this.refresh().catch((error: unknown) => this.complain(error))
    this.draw()
  }

  private async refresh(): Promise<void> {
    await this.itemList.refresh()
    const dropped = this.pending.keepOnly(this.itemList.all, !this.itemList.more)
    if (dropped.length) {
      this.remark = { text: dropped.at(-1)!, tone: 'yellow' }
      this.leaving = false
    }
    this.look()
  }

  /** Fetches the chosen item. */
  private look(): void {
    this.draw()
    void this.itemList.load().then((loaded) => {
      if (loaded) this.opened()
      this.draw()
    })
  }

  /** An item that is open has been read. */
  private opened(): void {
    const item = this.itemList.shown
    if (this.mode !== 'item' || item?.state !== 'unread') return
    this.itemList.mark(item.id, 'read')
    this.it.api.inbox
      .update({ itemId: item.id, body: { state: 'read' } })
      .catch((error: unknown) => this.complain(error))
  }

  private perform(action: KeyAction): void {
    if (action === 'redraw') this.screen.clear()
    else if (this.leaving) this.decideToLeave(action)
    else this.act(action)
    this.draw()
  }

  private act(action: KeyAction): void {
    this.remark = null
    if (this.mode === 'help' && action !== 'leave' && action !== 'interrupt') this.mode = 'list'
    else if (isChoiceKey(action)) this.decideBy(action)
    else this.moves[action as keyof typeof this.moves]?.()
  }

  private readonly moves = {
    up: () => this.choose(() => this.itemList.move(-1)),
    down: () => this.choose(() => this.itemList.move(1)),
    first: () => this.choose(() => this.itemList.choose(0)),
    last: () => this.choose(() => this.itemList.choose(this.itemList.items.length - 1)),
    'page-up': () => this.turn(-1),
    'page-down': () => this.turn(1),
    open: () => this.open(),
    back: () => this.back(),
    filter: () => this.read(filterLabel, (words) => this.narrow(words)),
    jump: () => this.read(jumpLabel, (to) => this.jump(to.trim())),
    unread: () => this.unread(),
    undo: () => this.undo(),
    help: () => {
      this.mode = 'help'
    },
    leave: () => this.leave(),
    interrupt: () => this.leave(),
  }

  private choose(move: () => boolean): void {
    if (!move()) return
    this.scroll = 0
    this.look()
  }

  private turn(by: number): void {
    this.scroll = Math.max(0, this.scroll + by * (this.frame?.page ?? 1))
  }

  /** Out of an item, or of what was filtered. */
  private back(): void {
    if (this.mode === 'list' && this.itemList.filter) this.narrow('')
    this.mode = 'list'
    this.scroll = 0
  }

  private read(label: string, entered: (text: string) => void): void {
    this.label = label
    this.keyboard?.read(entered)
  }

  private narrow(words: string): void {
    this.mode = 'list'
    this.scroll = 0
    this.itemList.narrow(words)
    this.look()
  }

  private jump(to: string): void {
    if (!this.itemList.jump(to)) return void this.say(`There is no item ${cleanLine(to)} in the list.`, 'yellow')
    this.scroll = 0
    this.look()
  }

  private open(): void {
    if (!this.itemList.current) return
    this.mode = 'item'
    this.scroll = 0
    this.opened()
  }

  private unread(): void {
    const item = this.itemList.shown
    if (!item || !canBeUnread(item)) return
    this.itemList.mark(item.id, 'unread')
    this.mode = 'list'
    this.it.api.inbox
      .update({ itemId: item.id, body: { state: 'unread' } })
      .catch((error: unknown) => this.complain(error))
  }

  /** Only what is on the screen is decided. */
  private decideBy(key: ChoiceKey): void {
    const item = this.itemList.shown
    if (!item)
      return void this.say(
        this.itemList.current ? 'The item is not here yet.' : 'There is nothing to decide.',
        'yellow',
      )
    const choice = keysOf(choicesOf(item)).find(([own]) => own === key)?.[1]
    if (!choice) return void this.say(unfit[key] ?? 'This item offers no such choice.', 'yellow')
    if (choice.text?.required) this.answer(item, choice)
    else this.decide(choice)
  }

  private answer({ id }: Detail, choice: Choice): void {
    this.read(answerLabel, (text) => {
      // Somebody else may have decided while this was typed.
      if (this.itemList.current?.id === id) this.decide(choice, text.trim())
      else this.say('The item is not there any more; nothing was sent.', 'yellow')
    })
  }

  private decide(choice: Choice, text?: string): void {
    const item = this.itemList.shown
    if (!item || !choicesOf(item).some(({ id }) => id === choice.id))
      return void this.say('The item has changed; nothing was sent.', 'yellow')
    this.pending.add({ item, choice, ...(text !== undefined && { text }) })
    this.mode = 'list'
    this.choose(() => this.itemList.move(1))
  }

  private undo(): void {
    const back = this.pending.undo()
    if (!back) return void this.say('There is nothing to undo.', 'yellow')
    this.choose(() => this.itemList.choose(this.itemList.items.findIndex(({ id }) => id === back.item.id)))
    this.say(`${wordsOf(back.choice)[0]} was taken back.`, 'green')
  }

  private sent({ item, choice }: Decision, error?: unknown): void {
    if (error === undefined) this.say(`${wordsOf(choice)[1]}: ${cleanLine(item.title)}`, 'green')
    else this.complain(error)
    if (this.leaving && !this.pending.size) void this.flush()
    this.refresh().catch((failure: unknown) => this.complain(failure))
  }

  private leave(): void {
    this.failedBefore = this.pending.failed
    if (this.pending.size) this.leaving = true
    else this.finish(0)
  }

  private decideToLeave(action: KeyAction): void {
    if (action === 'interrupt') return void this.finish(130)
    if (action === 'undo') this.undo()
    if (action === 'back') this.leaving = false
    if (action === 'open' || !this.pending.size) void this.flush()
  }

  /** Sends everything, and leaves unless something of it was refused. */
  private async flush(): Promise<void> {
    await this.pending.flush()
    this.leaving = false
    if (this.pending.failed === this.failedBefore) this.finish(0)
  }

  private say(text: string, tone: Remark['tone']): void {
    this.remark = { text, tone }
    this.draw()
  }

  private complain(error: unknown): void {
    if (!this.stop.signal.aborted) this.say(this.it.explain(error), 'red')
  }

  private draw(): void {
    this.tick()
    const { width, height } = this.screen
    this.frame = frameOf({
      itemList: this.itemList,
      pending: this.pending,
      place: this.it.workspace.slug,
      mode: this.mode,
      scroll: this.scroll,
      typed: this.keyboard?.typed ? { ...this.keyboard.typed, label: this.label } : null,
      remark: this.remark,
      leaving: this.leaving,
      connected: this.connected,
      explain: this.it.explain,
      width,
      height,
    })
    this.scroll = this.frame.scroll
    this.screen.show(this.frame.rows, this.frame.cursor)
  }

  /** The clock runs while something can be taken back. */
  private tick(): void {
    if (this.pending.size && !this.clock) this.clock = setInterval(() => this.draw(), tickMs)
    if (this.pending.size || !this.clock) return
    clearInterval(this.clock)
    this.clock = null
  }
}
