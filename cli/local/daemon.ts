import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { runtimeFile } from '../contexts/session.ts'
import { InputError } from '../input.ts'
import { daemonProgram, dataDir } from '../paths.ts'
import { findDaemon } from './instance.ts'
import { StartFailure } from './refusal.ts'

/** What a daemon says when it is ready. */
export interface Ready {
  url: string
  socket: string
  pid: number
  version: string
}

type Env = NodeJS.ProcessEnv

/** Kinds of failure by the daemon's exit code; docs/operating.md lists them. */
const kinds: Readonly<Record<number, string>> = {
  2: 'invalid_configuration',
  3: 'state_lost',
  4: 'data_dir_in_use',
  5: 'access_refused',
  6: 'storage_refused',
  7: 'address_taken',
  8: 'other_version',
}

export const logFile = (env: Env = process.env): string => join(dataDir(env), 'musterd.log')

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
  const log = openLog(env)
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
      child.on('exit', (code, signal) => reject(failure(code, signal, timeout, env)))
    })
  } finally {
    clearTimeout(timer)
    child.removeAllListeners('exit')
    output.destroy()
    child.unref()
  }
}

/** Where the daemon's standard error goes, in a folder made for it. */
function openLog(env: Env): number {
  const dir = dataDir(env)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    return openSync(logFile(env), 'a', 0o600)
  } catch (error) {
    throw folderFailure(error as NodeJS.ErrnoException, dir)
  }
}

function folderFailure({ code, message }: NodeJS.ErrnoException, dir: string): Error {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StartFailure(`The disk of ${dir} is full.`, 'storage_refused', 'free space there, then muster up')
  if (code === 'EROFS')
    return new StartFailure(
      `The disk of ${dir} is read-only.`,
      'storage_refused',
      'mount it for writing, then muster up',
    )
  const next = 'start it as the user whose data it is, or name another folder in SVC_DATA_DIR'
  if (code === 'EACCES' || code === 'EPERM')
    return new StartFailure(`This user may not write to ${dir}.`, 'access_refused', next)
  return new StartFailure(`${dir} cannot be the data folder (${message}).`, 'failed', 'name another in SVC_DATA_DIR')
}

function failure(code: number | null, signal: string | null, timeout: number, env: Env): StartFailure {
  const lines = readFileSync(logFile(env), 'utf8').trimEnd().split('\n')
  if (signal === 'SIGKILL')
    return new StartFailure(`The daemon was not ready within ${timeout / 1000} s and was ended.`)
  const at = lines.findLastIndex((line) => line.startsWith('musterd: '))
  const kind = kinds[code ?? 1]
  if (at < 0)
    return new StartFailure(`The daemon ended with ${signal ?? code}: ${lines.at(-1) || 'it said nothing'}`, kind)
  const next = /^Next: (.*)/.exec(lines[at + 1] ?? '')?.[1]
  // It speaks to those who start it by hand.
  return new StartFailure(
    lines[at]!.slice('musterd: '.length),
    kind,
    next?.replaceAll(/\bmusterd(?= --|$)/g, 'muster up'),
  )
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
