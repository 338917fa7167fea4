import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runtimeFile } from '../contexts/session.ts'
import { holdsFolder } from '../local/daemon.ts'
import { dataDir } from '../paths.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

type Env = NodeJS.ProcessEnv

const GB = 1024 ** 3
const secrets = [
  'muster.db',
  'encryption.key',
  'instance.key',
  'journal.seal',
  'musterd.json',
  'musterd.log',
  'musterd.sock',
]

/** Files that only their user may read, as far as they are there. */
export function closedFiles(env: Env): (readonly [path: string, stat: Stats])[] {
  const dir = dataDir(env)
  return [dir, ...secrets.map((name) => join(dir, name))].flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat ? [[path, stat] as const] : []
  })
}

/** Why other users can reach the files; null when they cannot. */
export function closed(name: string, files: readonly (readonly [path: string, stat: Stats])[]): Finding | null {
  const foreign = files.find(([, { uid }]) => uid !== process.getuid?.())
  if (foreign)
    return fail(
      name,
      `${foreign[0]} belongs to the user with the id ${foreign[1].uid}, and this is ${process.getuid?.()}`,
      `run as that user (sudo -u '#${foreign[1].uid}' ...), or name another folder in SVC_DATA_DIR`,
    )
  const open = files.filter(([, { mode }]) => mode & 0o077).map(([path]) => path)
  return open.length
    ? fail(name, `Other users can read ${open.join(', ')}`, `muster doctor --fix, or chmod go= ${open.join(' ')}`)
    : null
}

/** What can be told of the data folder without its daemon. */
export function dataFolder(env: Env): Finding[] {
  const dir = dataDir(env)
  try {
    if (!statSync(dir, { throwIfNoEntry: false })) return [ok('data', `${dir} will be made by the first start`)]
    const closedOff = closed('data', closedFiles(env))
    // Nothing else can be told of the data of another user.
    if (closedOff?.detail.includes('belongs to')) return [closedOff]
    return [closedOff ?? ok('data', `${dir}, readable by you alone`), key(dir, env), ...disk(dir), ...leftovers(env)]
  } catch (error) {
    return [unreadable(dir, error as NodeJS.ErrnoException)]
  }
}

function unreadable(dir: string, { code, message }: NodeJS.ErrnoException): Finding {
  if (code !== 'EACCES' && code !== 'EPERM')
    return fail('data', `${dir} cannot be used: ${message}`, 'name another folder in SVC_DATA_DIR')
  const detail = `This user may not look into ${dir}: it belongs to another user`
  return fail('data', detail, 'run as the user whose data it is, or name another folder in SVC_DATA_DIR')
}

function key(dir: string, env: Env): Finding {
  if (env['ENCRYPTION_KEY']) return ok('key', 'ENCRYPTION_KEY is set')
  if (existsSync(join(dir, 'encryption.key'))) return ok('key', join(dir, 'encryption.key'))
  if (!existsSync(join(dir, 'muster.db'))) return ok('key', 'The first start makes one')
  return fail(
    'key',
    `${join(dir, 'encryption.key')} is gone: stored credentials cannot be opened`,
    'bring it back from a backup, or set ENCRYPTION_KEY',
  )
}

function disk(dir: string): Finding[] {
  const { bavail, bsize, files, ffree } = statfsSync(dir)
  const free = bavail * bsize
  const elsewhere = 'or move the data to another disk (SVC_DATA_DIR)'
  if (isReadOnly(dir))
    return [fail('disk', `The disk of ${dir} is read-only`, `mount it for writing (mount -o remount,rw), ${elsewhere}`)]
  // File systems that have no such limit say 0 of 0.
  if (files > 0 && ffree === 0)
    return [fail('disk', `The disk of ${dir} takes no more files`, `remove files there, ${elsewhere}`)]
  const detail = free < GB / 10 ? `The disk of ${dir} is full: ${size(free)} free` : `${size(free)} free below ${dir}`
  const fix = `free space below ${dir}, ${elsewhere}`
  if (free < GB / 2) return [fail('disk', detail, fix)]
  return [free < 5 * GB ? warn('disk', detail, fix) : ok('disk', detail)]
}

const size = (bytes: number): string =>
  bytes < GB ? `${Math.floor(bytes / 1024 ** 2)} MB` : `${(bytes / GB).toFixed(1)} GB`

function isReadOnly(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS'
  }
}

/** Files of a daemon that ended without removing them. */
export function leftoverFiles(env: Env): string[] {
  const dir = dataDir(env)
  const { pid } = runtimeFile(join(dir, 'musterd.json'))
  if (pid !== undefined && holdsFolder(pid, env)) return []
  return ['musterd.json', 'musterd.sock'].map((name) => join(dir, name)).filter((path) => existsSync(path))
}

function leftovers(env: Env): Finding[] {
  const left = leftoverFiles(env)
  const detail = `No daemon runs, but one left ${left.join(' and ')}: it was killed, or crashed`
  return left.length ? [warn('leftovers', detail, 'muster doctor --fix, or muster up: both clear them away')] : []
}
