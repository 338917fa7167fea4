import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { InputError } from './input.ts'
import { alive } from './local/daemon.ts'

const patienceMs = 10_000
/** No change takes this long. */
const oldMs = 5000
const pauseMs = 20

/** Changes a file while no other command does, which would undo one of both changes. */
export async function exclusively<R>(path: string, work: () => Promise<R> | R): Promise<R> {
  const lock = `${path}.lock`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  for (const end = Date.now() + patienceMs; !taken(lock); ) {
    if (Date.now() > end) throw new InputError(`Another command is changing ${path}.`, `try again, or remove ${lock}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function taken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (isLeft(lock)) rmSync(lock, { force: true })
    return false
  }
}

/** A command that was killed leaves its lock; its number may be another one's by now, or was not written yet. */
function isLeft(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    return (pid > 0 && !alive(pid)) || Date.now() - statSync(lock).mtimeMs > oldMs
  } catch {
    return false
  }
}
