import { Buffer } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import type { Entry } from './entry.ts'
import { inside, isGone, openFolder } from './folders.ts'
import { GivenUp } from './limits.ts'
import type { Store } from './store.ts'
import type { Difference, Root } from './wire.ts'

const mostBytes = 512 * 1024
const mostDiff = 256 * 1024
const seconds = 10

type Content = Buffer | 'too_large' | 'other' | null

/** How the text of a file differs from that of a mark. */
export function diff(
  store: Store,
  marked: ReadonlyMap<string, Entry>,
  roots: readonly Root[],
  path: string,
): Difference {
  const root = roots.find(({ shown }) => path.startsWith(`${shown}/`))
  const parts = root
    ? path
        .slice(root.shown.length + 1)
        .split('/')
        .map((it) => Buffer.from(it).toString('latin1'))
    : []
  if (!root || parts.some((part) => ['', '.', '..'].includes(part) || part.includes('\0')))
    return { state: 'no_file', diff: '' }
  const [before, now] = [markedAt(store, marked.get(root.shown), parts), liveAt(root.at, parts)]
  if (before === 'other' || now === 'other' || (before === null && now === null)) return { state: 'no_file', diff: '' }
  if (before === 'too_large' || now === 'too_large') return { state: 'too_large', diff: '' }
  if (before && now && before.equals(now)) return { state: 'same', diff: '' }
  if (before?.includes(0) || now?.includes(0)) return { state: 'binary', diff: '' }
  return unified(store, path, before, now)
}

function markedAt(store: Store, root: Entry | undefined, parts: readonly string[]): Content {
  let at = root
  for (const part of parts) at = at?.entries.get(part)
  if (!at) return null
  if (at.kind !== 'f') return 'other'
  if (at.size > mostBytes) return 'too_large'
  if (!store.has(at.content)) throw new GivenUp('a marked file is missing')
  return readFileSync(store.blob(at.content))
}

function liveAt(root: string, parts: readonly string[]): Content {
  let folder = openFolder(root)
  for (const part of parts.slice(0, -1)) {
    if (folder === null) return null
    const next = openFolder(inside(folder, part))
    closeSync(folder)
    folder = next
  }
  if (folder === null) return null
  try {
    return readWhole(inside(folder, parts.at(-1)!))
  } finally {
    closeSync(folder)
  }
}

function readWhole(path: Buffer): Content {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return 'other'
    if (isGone(error)) return null
    throw error
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return 'other'
    if (stats.size > mostBytes) return 'too_large'
    const bytes = Buffer.alloc(mostBytes)
    let size = 0
    for (let got = 1; got > 0 && size < mostBytes; size += got)
      got = readSync(file, bytes, size, mostBytes - size, size)
    return bytes.subarray(0, size)
  } finally {
    closeSync(file)
  }
}

function unified(store: Store, path: string, before: Buffer | null, now: Buffer | null): Difference {
  const [one, two] = [store.temporary('before'), store.temporary('now')]
  writeFileSync(one, before ?? '', { mode: 0o600 })
  writeFileSync(two, now ?? '', { mode: 0o600 })
  const label = path.replace(/[^\x20-\x7e]/g, '?')
  const labels = ['--label', before ? `marked${label}` : '/dev/null', '--label', now ? `now${label}` : '/dev/null']
  const { status, stdout, error } = spawnSync('diff', ['-u', ...labels, '--', one, two], {
    timeout: seconds * 1000,
    maxBuffer: mostDiff,
    env: { LC_ALL: 'C', PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  })
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ENOENT') throw new GivenUp('this machine has no program diff')
  if (code || status === null || status > 1) return { state: 'too_large', diff: '' }
  return { state: 'text', diff: stdout.toString('utf8') }
}
