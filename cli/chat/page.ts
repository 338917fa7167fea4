import type { WriteStream } from 'node:tty'
import { displayable, type Row, span, wrap } from '../markdown/rows.ts'
import { colored, painter } from '../output/theme.ts'
import { shorten } from '../output/width.ts'
import { window } from './layout.ts'
import { type Live, reflowing, Screen } from './screen.ts'
import { userRows } from './transcript.ts'
import type { Commit, Kind } from './turn-view.ts'

/** What stands below everything that was said. */
export interface Below {
  /** What goes on. */
  turn: readonly Row[]
  /** Something that the person should know as long as it is so. */
  warning: string | null
  /** Typed already, and to be said later. */
  queue: readonly string[]
  /** What becomes of it. */
  queued?: string
  text: string
  cursor: number
  /** One column before the text; "›" unless what is typed answers a question. */
  mark?: string
  /** Under the text that is being typed. */
  hint: string | null
}

/** A chat on a screen: what was said scrolls up, what is typed stays below. */
export class Page {
  readonly screen: Screen
  /** Kind of the rows that came last. */
  last: Kind = 'note'

  constructor(output: WriteStream) {
    this.screen = new Screen(output, painter(colored(output)), { reflows: reflowing(process.env) })
  }

  get width(): number {
    return this.screen.width
  }

  head(lines: readonly string[]): void {
    this.screen.commit(lines.map((line) => [span(shorten(displayable(line), this.width), 'dim')]))
  }

  /** Rows that stay, a blank row apart from what was before; tools stand close together. */
  readonly commit: Commit = (kind, rows) => {
    const apart = kind !== 'tool' || this.last !== 'tool'
    this.last = kind
    this.screen.commit(apart ? [[], ...rows] : rows)
  }

  said(text: string): void {
    this.commit('note', userRows(text, this.width))
  }

  note(text: string): void {
    this.commit('note', wrap([span(text, 'dim')], this.width))
  }

  trouble(what: string, next?: string): void {
    this.commit('note', [
      ...wrap([span('✗ ', 'red'), span(displayable(what))], this.width),
      ...(next ? this.next(next) : []),
    ])
  }

  advice(next: string): void {
    this.commit('note', this.next(next))
  }

  /** `below` is asked for when it is drawn. */
  draw(below: () => Below): void {
    this.screen.show(() => this.live(below()))
  }

  private live({ turn, warning, queue, queued, text, cursor, mark = '›', hint }: Below): Live {
    const typed = window(text, cursor, this.width - 3, Math.max(3, Math.floor(this.screen.height / 2)))
    const waiting = queue.map(
      (it, at): Row => [
        span(`${at ? '  ' : '» '}${shorten(displayable(it).replaceAll('\n', ' '), this.width - 2)}`, 'dim'),
      ],
    )
    const above: Row[] = [
      ...turn,
      ...(warning ? [[], [span(shorten(warning, this.width), 'yellow')]] : []),
      ...(waiting.length ? [[], ...waiting] : []),
      ...(queued ? [[span(`  ${queued}`, 'dim')]] : []),
      [],
    ]
    const input = typed.rows.map(
      (it, at): Row => [span(at ? '  ' : `${mark} `, mark === '›' ? 'cyan' : 'yellow'), span(it)],
    )
    const below: Row[] = hint ? [[span(shorten(hint, this.width), 'dim')]] : []
    return {
      rows: [...above, ...input, ...below],
      cursor: { row: above.length + typed.cursor.row, column: 2 + typed.cursor.column },
    }
  }

  private next(text: string): Row[] {
    return wrap([span('Next: ', 'dim'), span(displayable(text))], this.width)
  }
}
