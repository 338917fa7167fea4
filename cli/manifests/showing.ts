import { cleanLine } from '../output/clean.ts'
import { compactJson } from '../output/json.ts'
import type { Tone } from '../output/theme.ts'
import { placeIn } from './mistakes.ts'
import type { Plan } from './planning.ts'
import type { Manifest } from './reading.ts'

type Step = Plan['steps'][number]
type Paint = (tone: Tone, text: string) => string

const marks: Readonly<Record<Step['action'], readonly [string, Tone, string]>> = {
  create: ['+', 'green', 'is created'],
  change: ['~', 'yellow', 'is changed'],
  destroy: ['-', 'red', 'is destroyed'],
}

/** A plan in words: one line for each thing, one below for each of its members that changes, and its warnings. */
export function planText({ steps, warnings, ...counts }: Plan, found: readonly Manifest[], paint: Paint): string {
  const warned = warnings.map((it) => `${paint('yellow', 'Warning:')} ${cleanLine(placeIn(found, it))}`)
  const lines = [...steps.flatMap((step) => [lineOf(step, paint), ...changesOf(step)]), ...warned]
  return [...lines, ...(lines.length ? [''] : []), sumOf(counts), ''].join('\n')
}

function lineOf({ action, kind, name }: Step, paint: Paint): string {
  const [mark, tone, words] = marks[action]
  return `${paint(tone, mark)} ${kind} ${cleanLine(name)} ${words}`
}

function changesOf({ action, changes }: Step): string[] {
  if (action !== 'change') return []
  return changes.map(({ member, from, to }) => `    ${member}: ${shown(from)} -> ${shown(to)}`)
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : cleanLine(compactJson(value)))

/** The last line of a plan. */
export function sumOf({
  created,
  changed,
  destroyed,
  unchanged,
}: Pick<Plan, 'created' | 'changed' | 'destroyed' | 'unchanged'>): string {
  if (!created && !changed && !destroyed) return `Nothing to do: all ${unchanged} are as the files say.`
  return `${created} to create, ${changed} to change, ${destroyed} to destroy, ${unchanged} unchanged.`
}
