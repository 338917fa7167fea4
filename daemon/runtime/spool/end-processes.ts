/**
 * Ends agents' processes in a crew. It runs in a container within the crew's process namespace but outside of its
 * limits, so that an agent that has used up all processes cannot prevent it. It has its own uid and takes an agent's
 * uid only to send signals: it can signal the agent's processes, and they cannot signal it. `kill(-1)` is atomic in the
 * kernel, so no fork escapes it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { agents, pieces, processesOf } from './processes.ts'

export interface EndRequest {
  /** The agent, or null for all agents. */
  uid: number | null
  /** Runs of that agent whose processes are kept. */
  spare: string[]
}

const patienceMs = 10_000
const pauseMs = 5
const stopped = /^[TtDZ]$/
const ours = /\/(supervise|end-run)\.sh$/

const own = process.geteuid!()

function as<T>(uid: number, work: () => T): T {
  process.seteuid!(uid)
  try {
    return work()
  } finally {
    process.seteuid!(own)
  }
}

/** Sends a signal to a process of this user, or with -1 to all of them at once. */
function signal(uid: number, pid: number, name: NodeJS.Signals): void {
  try {
    as(uid, () => process.kill(pid, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Repeats until the condition holds; false after a timeout. */
async function until(holds: () => boolean): Promise<boolean> {
  for (const end = Date.now() + patienceMs; !holds(); await delay(pauseMs)) if (Date.now() > end) return false
  return true
}

const endAll = (uid: number): Promise<boolean> =>
  until(() => {
    signal(uid, -1, 'SIGKILL')
    return processesOf(uid).length === 0
  })

/** Processes with the mark of a spared run, those that supervise or end it, and all descendants. */
function kept(uid: number, spare: string[]): Set<number> {
  const all = processesOf(uid)
  const belongs = (pid: number) => {
    const [args, environment] = [pieces(`/proc/${pid}/cmdline`), as(uid, () => pieces(`/proc/${pid}/environ`))]
    return spare.some(
      (run) => environment.includes(`SVC_RUN_ID=${run}`) || (args.includes(run) && args.some((it) => ours.test(it))),
    )
  }
  const found = new Set(all.filter(({ pid }) => belongs(pid)).map(({ pid }) => pid))
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
  }
  return found
}

/** Stops all processes first, so that none forks or changes its command line while they are told apart. */
async function endOthers(uid: number, spare: string[]): Promise<boolean> {
  try {
    const still = await until(() => {
      signal(uid, -1, 'SIGSTOP')
      return processesOf(uid).every(({ state }) => stopped.test(state))
    })
    if (!still) return false
    const stay = kept(uid, spare)
    return await until(() => {
      const others = processesOf(uid).filter(({ pid }) => !stay.has(pid))
      for (const { pid } of others) signal(uid, pid, 'SIGKILL')
      return others.length === 0
    })
  } finally {
    signal(uid, -1, 'SIGCONT')
  }
}

async function end({ uid, spare }: EndRequest): Promise<void> {
  if (own === 0 || process.getuid!() !== own) throw new Error('it must run as a user of its own')
  for (const agent of uid === null ? agents() : [uid]) {
    if (!(await (spare.length ? endOthers(agent, spare) : endAll(agent))))
      throw new Error(`processes of uid ${agent} cannot be ended`)
  }
}

end(JSON.parse(process.argv[1]!) as EndRequest).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
