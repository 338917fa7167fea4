import type { ReadStream, WriteStream } from 'node:tty'
import { type Client, type Connection, ProblemError } from '#client'
import { FullScreen } from '../inbox/full-screen.ts'
import { Keyboard } from '../inbox/keyboard.ts'
import { type News, news } from '../inbox/news.ts'
import { colored, painter } from '../output/theme.ts'
import { Board, neighbour, waysFrom } from './board.ts'
import { cardsOf } from './cards.ts'
import { boardFrame, type Frame, type Remark } from './frame.ts'
import { type BoardAction, boardActionOf } from './keys.ts'

export interface BoardScreenOptions {
  api: Client
  connection: Connection
  workspaceId: string
  crew: { id: string; slug: string }
  input: ReadStream
  output: WriteStream
  /** What went wrong, in a sentence. */
  explain(error: unknown): string
}

/** More issues than this that were changed at once are fetched with all others. */
const mostOneByOne = 20

/** The board of a crew on a terminal. */
export class BoardScreen {
  private readonly it: BoardScreenOptions
  private readonly board = new Board()
  private readonly screen: FullScreen
  private readonly stop = new AbortController()
  private mode: 'board' | 'card' | 'help' = 'board'
  private scroll = 0
  private frame: Frame | null = null
  private remark: Remark | null = null
  private connected = true
  private loaded = false
  /** Moves, one after the other. */
  private moves: Promise<unknown> = Promise.resolve()
  /** Ids of issues that were changed and are to be fetched. */
  private readonly stale = new Set<string>()
  private fetching = false
  private finish!: (code: number) => void
  private fail!: (error: unknown) => void
  private readonly over: Promise<number>

  constructor(options: BoardScreenOptions) {
    this.it = options
    this.over = new Promise((resolve, reject) => {
      this.finish = resolve
      this.fail = reject
    })
    this.screen = new FullScreen(options.output, painter(colored(options.output)))
    this.screen.onResize = () => this.draw()
  }

  /** Shows the board until the person leaves; the exit code. `leave` makes them, its reason is the code then. */
  async run(leave: AbortSignal): Promise<number> {
    leave.addEventListener('abort', () => this.finish(Number(leave.reason)))
    const on = {
      action: (action: BoardAction) => this.perform(action),
      change: () => this.draw(),
      clear: () => this.screen.clear(),
      hungUp: () => this.finish(129),
      suspend: () => this.screen.park(),
      resume: () => this.screen.resume(),
    }
    const keyboard = new Keyboard(this.it.input, this.it.output, on, boardActionOf)
    try {
      this.draw()
      void this.follow()
      const code = await this.over
      // What was asked for before leaving is done.
      await this.moves
      return code
    } finally {
      this.stop.abort()
      this.screen.close()
      keyboard.close()
    }
  }

  /** Follows changes as they come. */
  private async follow(): Promise<void> {
    const { connection, workspaceId } = this.it
    try {
      await this.refresh()
      for await (const event of news(connection, `workspace:${workspaceId}`, { signal: this.stop.signal }))
        await this.heard(event)
    } catch (error) {
      if (!this.stop.signal.aborted) this.fail(error)
    }
  }

  private async heard(event: News): Promise<void> {
    if (event.type === 'event') {
      const { id } = event.payload
      if (event.name !== 'mission.updated' || typeof id !== 'string') return
      this.stale.add(id)
      return void this.renew()
    }
    this.connected = event.type !== 'lost'
    if (this.connected) await this.refresh().catch((error: unknown) => this.complain(error))
    this.draw()
  }

  private async refresh(): Promise<void> {
    this.stale.clear()
    this.board.fill(await cardsOf(this.it.api, this.it.crew.id))
    this.loaded = true
    this.draw()
  }

  /** Fetches what was changed, until nothing is left. */
  private async renew(): Promise<void> {
    if (this.fetching) return
    this.fetching = true
    try {
      while (this.stale.size && !this.stop.signal.aborted)
        if (this.stale.size > mostOneByOne) await this.refresh()
        else await this.renewOne([...this.stale][0]!)
    } catch (error) {
      this.stale.clear()
      this.complain(error)
    } finally {
      this.fetching = false
    }
  }

  private async renewOne(id: string): Promise<void> {
    this.stale.delete(id)
    try {
      const card = await this.it.api.issues.find({ identifier: id })
      if (card.crew_id === this.it.crew.id) this.board.put(card)
      else this.board.drop(id)
    } catch (error) {
      // It is a mission, or it was deleted.
      if (!(error instanceof ProblemError) || error.problem.status !== 404) throw error
      this.board.drop(id)
    }
    this.draw()
  }

  private perform(action: BoardAction): void {
    if (action === 'redraw') this.screen.clear()
    else this.act(action)
    this.draw()
  }

  private act(action: BoardAction): void {
    this.remark = null
    if (action === 'leave') this.finish(0)
    else if (action === 'interrupt') this.finish(130)
    else if (this.mode === 'board') this.choose(action)
    else this.read(action)
  }

  private choose(action: BoardAction): void {
    const page = this.frame?.page ?? 1
    const chosen: Partial<Record<BoardAction, () => void>> = {
      up: () => this.board.down(-1),
      down: () => this.board.down(1),
      left: () => this.board.right(-1),
      right: () => this.board.right(1),
      first: () => this.board.down(-Infinity),
      last: () => this.board.down(Infinity),
      'page-up': () => this.board.down(-page),
      'page-down': () => this.board.down(page),
      forth: () => this.move(1),
      back: () => this.move(-1),
      open: () => this.open(this.board.current ? 'card' : 'board'),
      help: () => this.open('help'),
    }
    chosen[action]?.()
  }

  private read(action: BoardAction): void {
    const page = this.frame?.page ?? 1
    const by = { up: -1, down: 1, 'page-up': -page, 'page-down': page, first: -Infinity, last: 1e9 }[action as 'up']
    if (by !== undefined) this.scroll = Math.max(0, this.scroll + by)
    else if (this.mode === 'help' || action === 'close' || action === 'left') this.open('board')
  }

  private open(mode: 'board' | 'card' | 'help'): void {
    this.mode = mode
    this.scroll = 0
  }

  /** Moves the chosen issue once those before it are moved. */
  private move(direction: 1 | -1): void {
    const card = this.board.current
    if (!card) return
    this.moves = this.moves.then(() => this.moveNow(card.id, direction)).catch((error: unknown) => this.complain(error))
  }

  private async moveNow(id: string, direction: 1 | -1): Promise<void> {
    const card = this.board.find(id)
    if (!card) return
    const { identifier } = card
    const status = neighbour(card.status, direction)
    if (!status) {
      const ways = waysFrom(card.status).join(', ')
      const what = ways ? `and may become ${ways}` : 'and stays so'
      return this.say(`${identifier} is ${card.status} ${what}.`, 'yellow')
    }
    this.board.put(await this.it.api.issues.update({ crewId: card.crew_id, identifier, body: { status } }))
    this.say(`${identifier} is ${status}.`, 'green')
  }

  private say(text: string, tone: Remark['tone']): void {
    this.remark = { text, tone }
    this.draw()
  }

  private complain(error: unknown): void {
    if (!this.stop.signal.aborted) this.say(this.it.explain(error), 'red')
  }

  private draw(): void {
    const { board, mode, scroll, remark, connected, loaded } = this
    const { width, height } = this.screen
    const crew = this.it.crew.slug
    this.frame = boardFrame({ board, crew, mode, scroll, remark, connected, loaded, width, height })
    this.scroll = this.frame.scroll
    this.screen.show(this.frame.rows)
  }
}
