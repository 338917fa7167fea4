import type { Entry } from '#contract/entries'
import { indented, painted, type Row, span, wrap } from '../markdown/rows.ts'
import { clean, cleanLine } from '../output/clean.ts'
import type { Paint } from '../output/theme.ts'
import { pad, shorten, widthOf } from '../output/width.ts'
import { toneOf } from '../views/journal.ts'

const severityWidth = 6
const limits = { type: [20, 30], who: [8, 20] } as const
/** A summary in fewer columns than this gets a line of its own. */
const leastSummary = 24

/** Entries for people: aligned, each day once, in local time. */
export class Lines {
  private readonly paint: Paint
  private readonly width: () => number
  private type: number = limits.type[0]
  private who: number = limits.who[0]
  private day = ''

  constructor(paint: Paint, width: () => number) {
    this.paint = paint
    this.width = width
  }

  of(entry: Entry, who: string): string {
    const at = new Date(entry.ts)
    const day = local(at, { year: 'numeric', month: '2-digit', day: '2-digit' })
    const rows = this.rows(
      entry,
      local(at, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }),
      cleanLine(who),
    )
    const head = day === this.day ? [] : [[span(day, 'bold')]]
    this.day = day
    return [...head, ...rows].map((row) => painted(row, this.paint)).join('\n')
  }

  private rows({ entry_type, severity, summary }: Entry, time: string, who: string): Row[] {
    const type = cleanLine(entry_type)
    this.type = grown(this.type, type, limits.type[1])
    this.who = grown(this.who, who, limits.who[1])
    const tone = toneOf(severity)
    const lead: Row = [
      span(`${time}  `, 'dim'),
      span(pad(cleanLine(severity), severityWidth), tone ?? 'dim'),
      span('  '),
      span(pad(shorten(type, this.type), this.type), ...(tone ? [tone] : [])),
      span('  '),
      span(pad(shorten(who, this.who), this.who), 'cyan'),
      span('  '),
    ]
    const left = time.length + severityWidth + this.type + this.who + 8
    const text = [span(clean(summary))]
    const room = this.width() - left
    return room >= leastSummary
      ? indented(wrap(text, room), lead, [span(' '.repeat(left))])
      : [lead, ...indented(wrap(text, Math.max(20, this.width() - 4)), [span('    ')])]
  }
}

const grown = (width: number, text: string, most: number): number => Math.min(most, Math.max(width, widthOf(text)))

// Swedes write times as ISO 8601 does.
const local = (at: Date, parts: Intl.DateTimeFormatOptions): string => at.toLocaleString('sv-SE', parts)
