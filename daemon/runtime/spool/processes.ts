import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface Process {
  pid: number
  parent: number
  /** As in /proc: R, S, D, T, t and so on. */
  state: string
}

const lookAgainMs = 10
const firstAgent = 20001

/**
 * The live processes of a user, by uid, whatever their names. `status` is readable even for processes that are not
 * dumpable. A process whose first thread has ended is not a zombie while it has another thread.
 */
export function processesOf(uid: number): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    const status = /^\d+$/.test(name) ? read(`/proc/${name}/status`) : ''
    if (!new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(status)) return []
    const field = (key: string) => new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? ''
    const [state, threads] = [field('State'), Number(field('Threads'))]
    return state === 'X' || (state === 'Z' && threads < 2)
      ? []
      : [{ pid: Number(name), parent: Number(field('PPid')), state }]
  })
}

/** The uids of agents that have processes. */
export function agents(): number[] {
  const owners = readdirSync('/proc').map((name) =>
    Number(/^Uid:\s+(\d+)/m.exec(/^\d+$/.test(name) ? read(`/proc/${name}/status`) : '')?.[1] ?? 0),
  )
  return [...new Set(owners)].filter((uid) => uid >= firstAgent)
}

/** Whether a user has no processes, now or within `ms`. Polls, since they are not children of this process. */
export async function areGone(uid: number, ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; processesOf(uid).length > 0; await delay(lookAgainMs))
    if (Date.now() >= until) return false
  return true
}

/** The NUL-terminated strings of a file of /proc; none when it is gone or unreadable. */
export const pieces = (path: string): string[] => read(path).split('\0')

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
