import { cleanCode } from '../output/clean.ts'
import type { Paint, Tone } from '../output/theme.ts'

const toneOf = (line: string): Tone | undefined => {
  if (/^(?:---|\+\+\+) /.test(line)) return 'bold'
  if (line.startsWith('@@')) return 'cyan'
  if (line.startsWith('+')) return 'green'
  return line.startsWith('-') ? 'red' : undefined
}

/** A unified diff with its lines in colours; nothing in them acts on a terminal. */
export const coloured = (diff: string, paint: Paint): string =>
  diff
    .split('\n')
    .map((line) => paint(toneOf(line), cleanCode(line)))
    .join('\n')
