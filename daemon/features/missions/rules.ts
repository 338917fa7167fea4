import type { MissionStatus, TaskStatus } from '#contract/missions'
import { reached } from '#kernel/reached'

/** Where a mission may go from each status. docs/rules/work.md, "Missions". */
export const transitions: Readonly<Record<MissionStatus, readonly MissionStatus[]>> = {
  PLANNING: ['IN_PROGRESS', 'CANCELLED'],
  IN_PROGRESS: ['REVIEW', 'FAILED', 'CANCELLED'],
  REVIEW: ['COMPLETED', 'CANCELLED'],
  COMPLETED: ['PLANNING'],
  FAILED: ['IN_PROGRESS', 'PLANNING', 'CANCELLED'],
  CANCELLED: ['PLANNING'],
}

/** Where a mission is and may go from there, for whoever wants something else. */
export const standing = ({ status }: { status: MissionStatus }): string =>
  `The mission is ${status}; from there it may go to ${transitions[status].join(', ')}`

/** In these a task may be written anew. */
export const editable: ReadonlySet<TaskStatus> = new Set(['PENDING', 'BLOCKED', 'FAILED', 'CANCELLED'])

/** Where people may take a task from each status: PENDING tries it again, SKIPPED leaves it out. */
export const taskTransitions: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  PENDING: ['SKIPPED'],
  BLOCKED: ['PENDING', 'SKIPPED'],
  IN_PROGRESS: [],
  AWAITING_APPROVAL: ['SKIPPED'],
  COMPLETED: [],
  FAILED: ['PENDING', 'SKIPPED'],
  SKIPPED: ['PENDING'],
  CANCELLED: ['PENDING', 'SKIPPED'],
}

/** Where a task is and may be taken from there, for whoever wants something else. */
export function taskStanding({ title, status }: { title: string; status: TaskStatus }): string {
  const allowed = taskTransitions[status]
  if (allowed.length) return `"${title}" is ${status}; from there it may go to ${allowed.join(', ')}`
  return status === 'IN_PROGRESS'
    ? `"${title}" is IN_PROGRESS, where it stays until its assignment is over; cancel that first`
    : `"${title}" is ${status}, where a task stays until its mission is restarted`
}

export interface TaskState {
  id: string
  status: TaskStatus
  depends_on: readonly string[]
}

export interface Step {
  /** Tasks to begin now. */
  begin: string[]
  /** Tasks that cannot be done as things are, and those that can again. */
  block: string[]
  unblock: string[]
  /** `done`: nothing is left. `stuck`: something is left that nothing will begin. */
  over: 'done' | 'stuck' | null
}

const satisfied: ReadonlySet<TaskStatus> = new Set(['COMPLETED', 'SKIPPED'])
const hopeless: ReadonlySet<TaskStatus> = new Set(['FAILED', 'CANCELLED'])
const working: ReadonlySet<TaskStatus> = new Set(['IN_PROGRESS', 'AWAITING_APPROVAL'])

/** What a mission at work needs next. It depends on the states alone, so that it may be asked again at any time. */
export function nextStep(tasks: readonly TaskState[]): Step {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const known = new Map<string, boolean>()
  const isHopeless = (id: string): boolean => {
    const before = known.get(id)
    if (before !== undefined) return before
    // A cycle, which no mission has, would end here.
    known.set(id, true)
    const task = byId.get(id)
    const found =
      !task || hopeless.has(task.status) || (!satisfied.has(task.status) && task.depends_on.some(isHopeless))
    known.set(id, found)
    return found
  }
  const waiting = tasks.filter(({ status }) => status === 'PENDING' || status === 'BLOCKED')
  const blocked = waiting.filter(({ depends_on }) => depends_on.some(isHopeless))
  const open = waiting.filter((task) => !blocked.includes(task))
  const begin = open.filter(({ depends_on }) => depends_on.every((id) => satisfied.has(byId.get(id)!.status)))
  const goesOn = begin.length > 0 || tasks.some(({ status }) => working.has(status))
  const done = tasks.every(({ status }) => satisfied.has(status))
  return {
    begin: ids(begin),
    block: ids(blocked.filter(({ status }) => status === 'PENDING')),
    unblock: ids(open.filter((task) => task.status === 'BLOCKED' && !begin.includes(task))),
    over: done ? 'done' : goesOn ? null : 'stuck',
  }
}

const ids = (tasks: readonly TaskState[]) => tasks.map(({ id }) => id)

/** A task that depends on itself, over others or not; undefined when none does. */
export function inCycle(tasks: readonly Pick<TaskState, 'id' | 'depends_on'>[]): string | undefined {
  const byId = new Map(tasks.map((task) => [task.id, task.depends_on]))
  const state = new Map<string, 'open' | 'closed'>()
  for (const { id } of tasks) {
    if (state.has(id)) continue
    const path = [{ id, at: 0 }]
    while (path.length) {
      const top = path.at(-1)!
      if (top.at === 0) state.set(top.id, 'open')
      const next = (byId.get(top.id) ?? [])[top.at++]
      if (next === undefined) {
        state.set(top.id, 'closed')
        path.pop()
      } else if (state.get(next) === 'open') return next
      else if (!state.has(next)) path.push({ id: next, at: 0 })
    }
  }
  return undefined
}

/** Done tasks between one that failed and the earlier one to which it goes back, with that one. */
export function backTo(tasks: readonly TaskState[], from: string, target: string | null): string[] {
  if (target === null) return []
  const above = reached(from, (id) => tasks.find((task) => task.id === id)?.depends_on ?? [])
  const below = reached(target, (id) => ids(tasks.filter(({ depends_on }) => depends_on.includes(id))))
  return ids(
    tasks.filter(({ id, status }) => status === 'COMPLETED' && above.has(id) && (id === target || below.has(id))),
  )
}
