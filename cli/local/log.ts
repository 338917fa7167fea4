import { fstatSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dataDir } from '../paths.ts'
import { StartFailure } from './refusal.ts'

type Env = NodeJS.ProcessEnv

export const logFile = (env: Env = process.env): string => join(dataDir(env), 'musterd.log')

/** Where the daemon's standard error goes, in a folder made for it, and how much is there already. */
export function openLog(env: Env): { log: number; size: number } {
  const dir = dataDir(env)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    requireOwn(dir)
    const log = openSync(logFile(env), 'a', 0o600)
    return { log, size: fstatSync(log).size }
  } catch (error) {
    throw refusalOf(error as NodeJS.ErrnoException, dir)
  }
}

/** The lines that were logged since. */
export const logged = (size: number, env: Env): string[] =>
  readFileSync(logFile(env)).subarray(size).toString('utf8').trimEnd().split('\n')

/** A log of another user's would lock the owner of the folder out. */
function requireOwn(dir: string): void {
  const { uid } = statSync(dir)
  if (uid !== process.geteuid?.()) throw Object.assign(new Error(), { code: 'EACCES' })
}

function refusalOf({ code, message }: NodeJS.ErrnoException, dir: string): StartFailure {
  const disk = (state: string, next: string) =>
    new StartFailure(`The disk of ${dir} ${state}.`, 'storage_refused', `${next}, then muster up`)
  if (code === 'ENOSPC' || code === 'EDQUOT') return disk('is full', 'free space there')
  if (code === 'EROFS') return disk('is read-only', 'mount it for writing')
  const next = 'start it as the user whose data it is, or name another folder in SVC_DATA_DIR'
  if (code === 'EACCES' || code === 'EPERM')
    return new StartFailure(`${dir} belongs to another user, or is closed to this one.`, 'access_refused', next)
  return new StartFailure(`${dir} cannot be the data folder (${message}).`, 'failed', 'name another in SVC_DATA_DIR')
}
