import { span } from '../output/cell.ts'
import { cleanLine } from '../output/clean.ts'
import { shorten } from '../output/width.ts'

/** What a line about a task needs. */
export interface Branch {
  id: string
  title: string
  status: string
  task_order: number
  agent_slug: string | null
  depends_on: string
  iteration: number
  started_at: string | null
  completed_at: string | null
  error_message: string | null
}

const marks: Readonly<Record<string, string>> = {
  COMPLETED: '✓',
  SKIPPED: '-',
  FAILED: '✗',
  CANCELLED: '✗',
  BLOCKED: '!',
  IN_PROGRESS: '▸',
  AWAITING_APPROVAL: '?',
}

const titleWidth = 50

/**
 * One line for each task, below the last of those that it depends on: `▸ 3 Write it  in progress  12 s  @bob`. What it
 * depends on besides stands behind it. Where a task has no agent of its own, `lead` does it.
 */
export function treeOf(tasks: readonly Branch[], lead: string | null, now: number): string[] {
  const place = new Map(tasks.map((task, at) => [task.id, at]))
  const needs = tasks.map(({ depends_on }) => needed(depends_on, place))
  const below = (parent: number | null, indent: string): string[] =>
    tasks.flatMap((task, at) => {
      const own = needs[at]!.length ? Math.max(...needs[at]!) : null
      if (own !== parent) return []
      const others = needs[at]!.filter((it) => it !== own).map((it) => tasks[it]!.task_order)
      return [
        `${indent}${lineOf({ ...task, agent_slug: task.agent_slug ?? lead }, others, now)}`,
        ...below(at, `${indent}  `),
      ]
    })
  return below(null, '')
}

/** Only tasks before it: what comes later would make a ring. */
const needed = (depends_on: string, place: ReadonlyMap<string, number>): number[] =>
  (JSON.parse(depends_on) as string[]).flatMap((id) => place.get(id) ?? [])

function lineOf(task: Branch, others: readonly number[], now: number): string {
  const { title, status, task_order, agent_slug, iteration, started_at, completed_at, error_message } = task
  const lasted = started_at
    ? span(Math.max(0, Math.round(((completed_at ? Date.parse(completed_at) : now) - Date.parse(started_at)) / 1000)))
    : null
  return [
    `${marks[status] ?? '·'} ${task_order} ${shorten(cleanLine(title), titleWidth)}`,
    status.toLowerCase().replaceAll('_', ' '),
    lasted,
    `@${agent_slug ?? 'LEAD'}`,
    iteration > 1 && `try ${iteration}`,
    others.length > 0 && `after ${others.join(', ')}`,
    status !== 'COMPLETED' && error_message && shorten(cleanLine(error_message.split('\n')[0]!), titleWidth),
  ]
    .filter(Boolean)
    .join('  ')
}
