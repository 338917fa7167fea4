import type { Paint } from './theme.ts'
import { widthOf } from './width.ts'

export interface Axes {
  /** Columns of everything, and rows between the axes. */
  width: number
  height: number
  /** A value as its axis shows it. */
  label: (value: number) => string
  /** What stands below the first and the last value. */
  from: string
  to: string
  paint: Paint
}

/** How values become a picture: a character for each row, from the top, and column. */
type Draw = (values: readonly number[], step: number, rows: number, most: number) => string[][]

/** Values in order as a line between two axes. */
export const lineChart = (values: readonly number[], axes: Axes): string => chart(values, axes, line)

/** Values in order as bars between two axes. */
export const barChart = (values: readonly number[], axes: Axes): string => chart(values, axes, bars)

function chart(values: readonly number[], axes: Axes, draw: Draw): string {
  const { width, height: rows, label, from, to, paint } = axes
  const most = Math.max(...values, 0)
  // With nothing to show, the axis still needs a scale.
  const top = most || 1
  const marks = new Map([
    [0, label(top)],
    [Math.floor((rows - 1) / 2), label((top * (rows - 1 - Math.floor((rows - 1) / 2))) / (rows - 1))],
    [rows - 1, label(0)],
  ])
  const margin = Math.max(...[...marks.values()].map(widthOf))
  const shown = merged(values, Math.max(1, width - margin - 2))
  const step = Math.max(1, Math.floor((width - margin - 2) / shown.length))
  const drawn = draw(shown, step, rows, top).map((row, at) => {
    const mark = marks.get(at)
    const axis = `${' '.repeat(margin - widthOf(mark ?? ''))}${mark ?? ''} ${mark === undefined ? '│' : '┤'}`
    return `${paint('dim', axis)}${paint('cyan', row.join('').trimEnd())}`
  })
  const columns = step * shown.length
  const gap = ' '.repeat(Math.max(1, columns - widthOf(from) - widthOf(to)))
  const indent = ' '.repeat(margin + 1)
  const below = [`${indent}└${'─'.repeat(columns)}`, `${indent} ${from}${gap}${to}`]
  return [...drawn, ...below.map((text) => paint('dim', text))].join('\n')
}

/** Of more values than columns, neighbours stand for the largest of them. */
function merged(values: readonly number[], columns: number): readonly number[] {
  const each = Math.max(1, Math.ceil(values.length / columns))
  return Array.from({ length: Math.ceil(values.length / each) }, (_, at) =>
    Math.max(...values.slice(at * each, (at + 1) * each)),
  )
}

const blank = (rows: number, columns: number): string[][] =>
  Array.from({ length: rows }, () => Array<string>(columns).fill(' '))

const line: Draw = (values, step, rows, most) => {
  const picture = blank(rows, values.length * step)
  const rowOf = (value: number) => rows - 1 - Math.round((Math.max(0, value) / most) * (rows - 1))
  for (const [at, value] of values.entries()) {
    const row = rowOf(value)
    picture[row]!.fill('─', at * step, (at + 1) * step)
    const next = values[at + 1]
    if (next === undefined || rowOf(next) === row) continue
    const column = (at + 1) * step - 1
    const [high, low] = [Math.min(row, rowOf(next)), Math.max(row, rowOf(next))]
    for (let between = high + 1; between < low; between++) picture[between]![column] = '│'
    const rises = rowOf(next) < row
    picture[high]![column] = rises ? '┌' : '┐'
    picture[low]![column] = rises ? '┘' : '└'
  }
  return picture
}

const parts = ' ▁▂▃▄▅▆▇█'

const bars: Draw = (values, step, rows, most) => {
  const picture = blank(rows, values.length * step)
  for (const [at, value] of values.entries()) {
    // Whatever is more than nothing is seen.
    const eighths = value > 0 ? Math.max(1, Math.round((value / most) * rows * 8)) : 0
    for (let row = 0; row < rows; row++) {
      const part = parts[Math.min(8, Math.max(0, eighths - (rows - 1 - row) * 8))]!
      picture[row]!.fill(part, at * step, at * step + Math.max(1, step - 1))
    }
  }
  return picture
}
