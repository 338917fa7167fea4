import type { Delegated } from '#contract/frames'
import { displayable, type Row, span } from '../markdown/rows.ts'
import { cleanLine } from '../output/clean.ts'
import type { Tone } from '../output/theme.ts'
import { shorten } from '../output/width.ts'

const events: Readonly<Record<Delegated['event'], readonly [mark: string, tone: Tone, words: string]>> = {
  created: ['↳', 'cyan', 'is given'],
  queued: ['↳', 'yellow', 'waits for a place'],
  running: ['↳', 'cyan', 'works on'],
  completed: ['✓', 'green', 'answers'],
  failed: ['✗', 'red', 'failed'],
}

/** `  ↳ @bob works on: Count the files`, further in for what that agent gave away in turn. */
export function delegatedRow({ event, target, task, depth, result, error, status }: Delegated, width: number): Row {
  const [mark, tone, words] = events[event]
  const happened = status === 'CANCELLED' ? 'is cancelled' : words
  const said = cleanLine(
    displayable(result ?? error ?? task)
      .trim()
      .split('\n')[0] ?? '',
  )
  const line = `@${cleanLine(target)} ${happened}${said ? `: ${said}` : ''}`
  const indent = '  '.repeat(depth)
  return [span(`${indent}${mark} `, tone), span(shorten(line, Math.max(10, width - indent.length - 2)), 'dim')]
}

export const rowText = (row: Row): string => row.map(({ text }) => text).join('')
