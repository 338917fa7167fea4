import { Buffer } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { etagOf, tagOf } from '../../kernel/etag.ts'

export interface SaveRequest {
  root: string
  /** Relative, normalized. */
  path: string
  /** Bytes to come: fewer mean that the sender is gone. */
  size: number
  /** Entity tags of which the file must have one, `*` for any file; null without a condition. */
  match: string[] | null
  /** There must be no such file. */
  absent: boolean
}

export type Saved =
  | { status: 'saved' | 'unchanged'; etag: string; created: boolean }
  | { status: 'changed'; etag: string | null }
  /** `folder`: a folder stands there. `link`: a link or special file stands in the way. */
  | { status: 'folder' | 'link' | 'denied' | 'full' }

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const newMode = 0o664
const chunkBytes = 1024 * 1024

class Refused extends Error {
  readonly status: 'folder' | 'link' | 'denied' | 'full'

  constructor(status: Refused['status']) {
    super(status)
    this.status = status
  }
}

/** Saves a file whole or not at all, as the user of this process, following no link. Folders are made. */
export function saveFile({ root, path, match, absent }: Omit<SaveRequest, 'size'>, content: Buffer): Saved {
  const names = path.split('/')
  const name = names.pop()!
  process.umask(0o002)
  try {
    const folder = openFolder(root, names)
    try {
      return replace(folder, name, content, { match, absent })
    } finally {
      closeSync(folder)
    }
  } catch (error) {
    if (error instanceof Refused) return { status: error.status }
    const status = statuses[(error as NodeJS.ErrnoException).code ?? '']
    if (!status) throw error
    return { status }
  }
}

const statuses: Record<string, Refused['status']> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  ENAMETOOLONG: 'denied',
  ELOOP: 'link',
}

/** Opens a folder step by step, each within the open one before: a link that appears meanwhile leads nowhere. */
function openFolder(root: string, names: string[]): number {
  let open = openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  for (const name of names) {
    const next = enter(open, name)
    closeSync(open)
    if (next instanceof Error) throw next
    open = next
  }
  return open
}

function enter(folder: number, name: string): number | Error {
  const path = within(folder, name)
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found) mkdirSync(path, 0o775)
    else if (!found.isDirectory()) return new Refused('link')
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    return error as Error
  }
}

const within = (folder: number, name: string) => `/proc/self/fd/${folder}/${name}`

interface Found {
  etag: string | null
  mode: number
  /** Changes with every change of the file. */
  version: string
}

function replace(folder: number, name: string, content: Buffer, on: Pick<SaveRequest, 'match' | 'absent'>): Saved {
  const target = within(folder, name)
  const before = look(target)
  if (!allowed(before, on)) return { status: 'changed', etag: before?.etag ?? null }
  const etag = etagOf(content)
  if (before?.etag === etag) return { status: 'unchanged', etag, created: false }
  const draft = within(folder, `.${randomBytes(9).toString('hex')}.new`)
  try {
    write(draft, content, before?.mode ?? newMode)
    if (on.match || on.absent) {
      const now = look(target)
      if (now?.version !== before?.version) return { status: 'changed', etag: now?.etag ?? null }
    }
    renameSync(draft, target)
    fsyncSync(folder)
  } finally {
    rmSync(draft, { force: true })
  }
  return { status: 'saved', etag, created: before === null }
}

function allowed(before: Found | null, { match, absent }: Pick<SaveRequest, 'match' | 'absent'>): boolean {
  if (absent && before) return false
  if (!match) return true
  return before !== null && (match.includes('*') || match.includes(before.etag ?? ''))
}

/** What stands there; null for nothing. `etag` is null when the owner may not read it. */
function look(path: string): Found | null {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  if (!stats) return null
  if (stats.isDirectory()) throw new Refused('folder')
  if (!stats.isFile()) throw new Refused('link')
  const { ino, size, mtimeNs, mode } = stats
  return { etag: read(path), mode: Number(mode) & 0o777, version: `${ino} ${size} ${mtimeNs}` }
}

function read(path: string): string | null {
  let file: number
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null
    throw error
  }
  try {
    if (!fstatSync(file).isFile()) throw new Refused('link')
    const hash = createHash('sha256')
    const chunk = Buffer.alloc(chunkBytes)
    for (let count = readSync(file, chunk); count > 0; count = readSync(file, chunk))
      hash.update(chunk.subarray(0, count))
    return tagOf(hash.digest('hex'))
  } finally {
    closeSync(file)
  }
}

function write(path: string, content: Buffer, mode: number): void {
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at)
    fchmodSync(file, mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
