import measure from 'fast-string-truncated-width'
import { clean } from '../output/clean.ts'
import type { Paint, Tone } from '../output/theme.ts'
import { widthOf } from '../output/width.ts'

/** Text in one style. */
export interface Span {
  text: string
  tones: readonly Tone[]
}

/** One line of a screen. */
export type Row = readonly Span[]

export const span = (text: string, ...tones: Tone[]): Span => ({ text, tones })

/** Text of an agent as a screen can take it: nothing in it acts on the terminal, tabs are spaces. */
export const displayable = (text: string): string => clean(text).replace(/\t/g, '    ')

export const rowWidth = (row: Row): number => row.reduce((sum, { text }) => sum + widthOf(text), 0)

/** The row as a terminal gets it. */
export const painted = (row: Row, paint: Paint): string =>
  row
    .map(({ text, tones }) => tones.reduce((inner, tone) => paint(tone, inner), clean(text)))
    .join('')
    .trimEnd()

/** Every row behind `first` or, from the second on, behind `rest`. */
export const indented = (rows: readonly Row[], first: Row, rest: Row = first): Row[] =>
  rows.map((row, at) => [...(at ? rest : first), ...row])

/** Text in rows of at most `width` columns, broken between words where there are any. Line breaks in it are kept. */
export function wrap(spans: readonly Span[], width: number): Row[] {
  const lines = new Lines(Math.max(1, width))
  let word: Span[] = []
  for (const { text, tones } of spans) {
    for (const piece of text.match(/\n| +|[^ \n]+/g) ?? []) {
      if (piece !== '\n' && piece[0] !== ' ') {
        word.push({ text: piece, tones })
        continue
      }
      lines.word(word)
      word = []
      if (piece === '\n') lines.end()
      else lines.space({ text: piece, tones })
    }
  }
  lines.word(word)
  lines.end()
  return lines.rows
}

class Lines {
  readonly rows: Row[] = []
  private row: Span[] = []
  private used = 0
  private gap: Span | null = null
  private readonly width: number

  constructor(width: number) {
    this.width = width
  }

  /** Spaces stay where they are, but not at the end of a row. */
  space(span: Span): void {
    this.gap = this.gap ? { ...span, text: this.gap.text + span.text } : span
  }

  word(spans: readonly Span[]): void {
    if (!spans.length) return
    const width = rowWidth(spans)
    const gap = this.gap ? widthOf(this.gap.text) : 0
    if (this.used && this.used + gap + width > this.width) this.end()
    else if (this.gap) this.put({ ...this.gap, text: this.gap.text.slice(0, this.width - 1) })
    this.gap = null
    for (const span of spans) this.fill(span)
  }

  end(): void {
    this.rows.push(this.row)
    this.row = []
    this.used = 0
    this.gap = null
  }

  private put(span: Span): void {
    this.row.push(span)
    this.used += widthOf(span.text)
  }

  /** A word that is longer than a row is cut. */
  private fill({ text, tones }: Span): void {
    for (let rest = text; rest; ) {
      const fits = cut(rest, this.width - this.used)
      if (fits === 0 && this.used) {
        this.end()
        continue
      }
      // A character wider than the whole row goes in regardless.
      const at = fits || [...rest][0]!.length
      this.put({ text: rest.slice(0, at), tones })
      rest = rest.slice(at)
      if (rest) this.end()
    }
  }
}

/** How much of the text, counted in code units, fits into so many columns. */
export function cut(text: string, columns: number): number {
  if (columns <= 0) return 0
  const { index, truncated } = measure(text, { limit: columns, ellipsis: '' })
  return truncated ? index : text.length
}
