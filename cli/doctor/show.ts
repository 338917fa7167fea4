import { indented, painted, type Row, span, wrap } from '../markdown/rows.ts'
import { clean } from '../output/clean.ts'
import type { View } from '../output/printer.ts'
import type { Paint, Tone } from '../output/theme.ts'
import { pad, widthOf } from '../output/width.ts'
import type { Finding } from './finding.ts'

const marks: Record<Finding['status'], [mark: string, tone: Tone]> = {
  ok: ['✓', 'green'],
  warn: ['!', 'yellow'],
  fail: ['✗', 'red'],
}

export const findingView: View<Finding> = {
  name: ({ name }) => name,
  columns: {
    STATUS: ({ status }) => ({ text: status, tone: marks[status][1] }),
    WHERE: ({ where }) => where,
    CHECK: ({ name }) => name,
    DETAIL: ({ detail }) => detail,
    FIX: ({ fix }) => fix,
  },
}

/** Findings for people, each fix below its problem. */
export function report(findings: readonly Finding[], width: number, paint: Paint): string {
  const column = Math.max(...findings.map(({ name }) => widthOf(name)))
  const rows = findings.flatMap(({ name, status, detail, fix }): Row[] => {
    const [mark, tone] = marks[status]
    const lead: Row = [span(`${mark} `, tone), span(pad(name, column), ...(status === 'ok' ? [] : [tone])), span('  ')]
    const rest: Row = [span(' '.repeat(column + 4))]
    const room = Math.max(20, width - column - 4)
    return [
      ...indented(wrap([span(clean(detail))], room), lead, rest),
      ...(fix ? indented(wrap([span('Fix: ', 'dim'), span(clean(fix))], room), rest) : []),
    ]
  })
  return `${rows.map((row) => painted(row, paint)).join('\n')}\n`
}

/** "2 problems, 1 warning" */
export function summary(findings: readonly Finding[]): string {
  const count = (status: Finding['status'], word: string) => {
    const found = findings.filter((it) => it.status === status).length
    return found ? [`${found} ${word}${found === 1 ? '' : 's'}`] : []
  }
  return [...count('fail', 'problem'), ...count('warn', 'warning')].join(', ') || 'Everything is well'
}
