import { spawn } from 'node:child_process'
import { closeSync, existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, watch } from 'node:fs'
import { join } from 'node:path'
import { runtimeFile } from '../contexts/session.ts'
import { InputError } from '../input.ts'
import { daemonProgram, dataDir } from '../paths.ts'
import { findDaemon } from './instance.ts'
import { logged, openLog } from './log.ts'
import { startFailure } from './start-failure.ts'

/** What a daemon says when it is ready. */
export interface Ready {
  url: string
  socket: string
  pid: number
  version: string
}

type Env = NodeJS.ProcessEnv

/** The daemon of the data folder, when it answers and proves to be that. */
export async function running(env: Env = process.env): Promise<(Partial<Ready> & { uptime: number }) | undefined> {
  const found = await findDaemon(env)
  if (!found) return undefined
  const { version, uptime } = found
  return { ...runtimeFile(join(dataDir(env), 'musterd.json')), version, uptime }
}

/** Starts the daemon in a session of its own and waits for its ready line. */
export async function start(
  flags: string[],
  { timeout, env = process.env }: { timeout: number; env?: Env },
): Promise<Ready> {
  const program = daemonProgram()
  if (!existsSync(program))
    throw new InputError(`The daemon has not been built: ${program} is missing.`, 'npm ci && npm run build')
  const { log, size } = openLog(env)
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
        reject(startFailure({ code, signal, timeout, logged: logged(size, env), env })),
      )
    })
  } finally {
    clearTimeout(timer)
    child.removeAllListeners('exit')
    output.destroy()
    child.unref()
  }
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

/** True when that process works on the data folder: after a crash its id may belong to any other, also to a musterd. */
export function holdsFolder(pid: number, env: Env = process.env): boolean {
  try {
    const lock = join(realpathSync(dataDir(env)), 'musterd.lock')
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((name) => linkOf(join(folder, name)) === lock)
  } catch {
    return false
  }
}

/** Where a link leads; nothing when it was closed meanwhile. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
