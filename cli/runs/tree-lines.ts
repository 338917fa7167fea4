import { span } from '../output/cell.ts'
import { cleanLine } from '../output/clean.ts'
import { shorten } from '../output/width.ts'

/** Work below the run that began it. */
export interface Branch {
  id: string
  /** Null, or that of no other branch: it hangs on the run itself. */
  parent: string | null
  name: string
  state: string
  about: string
  created_at: string | null
  started_at: string | null
  finished_at: string | null
}

const aboutWidth = 60

/** One line for each branch, below the one that it hangs on: `├ @bob  completed  8 s  Count the files`. */
export function treeLines(branches: readonly Branch[], now: number): string[] {
  const known = new Set(branches.map(({ id }) => id))
  const childrenOf = new Map<string | null, Branch[]>()
  for (const branch of branches) {
    const parent = branch.parent !== null && known.has(branch.parent) ? branch.parent : null
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), branch])
  }
  const below = (parent: string | null, indent: string): string[] => {
    const own = childrenOf.get(parent) ?? []
    return own.flatMap((branch, at) => {
      const last = at === own.length - 1
      const line = `${indent}${last ? '└' : '├'} ${told(branch, now)}`
      return [line, ...below(branch.id, `${indent}${last ? '  ' : '│ '}`)]
    })
  }
  return below(null, '')
}

const told = ({ name, state, about, created_at, started_at, finished_at }: Branch, now: number): string =>
  [
    cleanLine(name),
    state.toLowerCase(),
    lasting(started_at ?? created_at, finished_at, now),
    shorten(cleanLine(about.split('\n')[0]!), aboutWidth),
  ]
    .filter((word) => word !== '')
    .join('  ')

const lasting = (from: string | null, to: string | null, now: number): string =>
  from === null ? '' : span(Math.max(0, Math.round(((to ? Date.parse(to) : now) - Date.parse(from)) / 1000)))
