import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { createConnection } from '#client'
import { localTarget, runtimeFile } from '../contexts/session.ts'
import { InputError } from '../input.ts'
import { daemonProgram, dataDir } from '../paths.ts'
import { StartFailure } from './refusal.ts'

/** What a daemon says when it is ready. */
export interface Ready {
  url: string
  socket: string
  pid: number
  version: string
}

type Env = NodeJS.ProcessEnv

/** The exit code of a daemon that refuses the stored state. */
const lostState = 3

export const logFile = (env: Env = process.env): string => join(dataDir(env), 'musterd.log')

/** The daemon of this machine, when one answers. */
export async function running(env: Env = process.env): Promise<(Partial<Ready> & { uptime: number }) | undefined> {
  try {
    const { body } = await createConnection({ server: localTarget(env), timeout: 2000 }).request('GET', '/healthz')
    const { version, uptime } = JSON.parse(String(body)) as { version: string; uptime: number }
    return { ...runtimeFile(join(dataDir(env), 'musterd.json')), version, uptime }
  } catch {
    return undefined
  }
}

/** Starts the daemon in a session of its own and waits for its ready line. */
export async function start(
  flags: string[],
  { timeout, env = process.env }: { timeout: number; env?: Env },
): Promise<Ready> {
  const program = daemonProgram()
  if (!existsSync(program))
    throw new InputError(`The daemon has not been built: ${program} is missing.`, 'npm ci && npm run build')
  mkdirSync(dataDir(env), { recursive: true, mode: 0o700 })
  const log = openSync(logFile(env), 'a', 0o600)
  const child = spawn(process.execPath, [program, ...flags], {
    detached: true,
    stdio: ['ignore', 'pipe', log],
    env,
    cwd: dataDir(env),
  })
  const output = child.stdout!
  closeSync(log)
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout)
  try {
    return await new Promise<Ready>((resolve, reject) => {
      let said = ''
      output.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        const line = said.split('\n').find((it) => it.startsWith('{"ready":true'))
        if (line && said.includes('\n')) resolve(JSON.parse(line) as Ready)
      })
      child.on('error', reject)
      child.on('exit', (code, signal) =>
        reject(new StartFailure(why(code, signal, timeout, env), code === lostState ? 'state_lost' : 'failed')),
      )
    })
  } finally {
    clearTimeout(timer)
    child.removeAllListeners('exit')
    output.destroy()
    child.unref()
  }
}

function why(code: number | null, signal: string | null, timeout: number, env: Env): string {
  const lines = readFileSync(logFile(env), 'utf8').trimEnd().split('\n')
  const last = lines.findLast((line) => line.startsWith('musterd: '))?.slice('musterd: '.length)
  if (signal === 'SIGKILL') return `The daemon was not ready within ${timeout / 1000} s and was ended.`
  return last ?? `The daemon ended with ${signal ?? code}: ${lines.at(-1) ?? 'it said nothing'}`
}

/** Asks the daemon to drain and waits until it is gone. False when it was not within `timeout`. */
export async function stop(
  pid: number,
  { timeout, env = process.env }: { timeout: number; env?: Env },
): Promise<boolean> {
  const watcher = watch(dataDir(env))
  try {
    process.kill(pid, 'SIGTERM')
    const end = Date.now() + timeout
    // Nobody is told when a process ends that is not a child; the last file that it removes is the nearest sign.
    while (alive(pid) && Date.now() < end) {
      await new Promise<void>((resolve) => {
        const go = () => {
          clearTimeout(timer)
          watcher.off('change', go)
          resolve()
        }
        const timer = setTimeout(go, 100)
        watcher.once('change', go)
      })
    }
    return !alive(pid)
  } finally {
    watcher.close()
  }
}

/** True when a process with that id runs; one that has ended and was not yet collected by its parent does not. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return stateOf(pid) !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The state letter that Linux gives a process; undefined elsewhere. */
function stateOf(pid: number): string | undefined {
  try {
    return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** True when that process is a musterd: after a crash its id may belong to somebody else. */
export function isDaemon(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('musterd')
  } catch {
    return false
  }
}
