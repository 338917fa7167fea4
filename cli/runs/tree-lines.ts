import { span } from '../output/cell.ts'
import { cleanLine } from '../output/clean.ts'
import { shorten } from '../output/width.ts'

/** Delegated work as the tree of a run names it. */
export interface Branch {
  assignment_id: string
  parent_assignment_id: string | null
  agent_slug: string
  task: string
  state: string
  created_at: string
  started_at: string | null
  finished_at: string | null
}

const taskWidth = 60

/** One line for each branch, below the one that it hangs on: `├ @bob  completed  8 s  Count the files`. */
export function treeLines(branches: readonly Branch[], now: number): string[] {
  const known = new Set(branches.map(({ assignment_id }) => assignment_id))
  const below = (parent: string | null, indent: string): string[] => {
    const own = branches.filter(({ parent_assignment_id: id }) => (id !== null && known.has(id) ? id : null) === parent)
    return own.flatMap((branch, at) => {
      const last = at === own.length - 1
      const line = `${indent}${last ? '└' : '├'} ${told(branch, now)}`
      return [line, ...below(branch.assignment_id, `${indent}${last ? '  ' : '│ '}`)]
    })
  }
  return below(null, '')
}

const told = ({ agent_slug, state, task, created_at, started_at, finished_at }: Branch, now: number): string =>
  [
    `@${agent_slug}`,
    state.toLowerCase(),
    lasting(started_at ?? created_at, finished_at, now),
    shorten(cleanLine(task.split('\n')[0]!), taskWidth),
  ].join('  ')

const lasting = (from: string, to: string | null, now: number): string =>
  span(Math.max(0, Math.round(((to ? Date.parse(to) : now) - Date.parse(from)) / 1000)))
