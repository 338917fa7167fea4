import { Buffer } from 'node:buffer'
import { existsSync, readlinkSync } from 'node:fs'
import { type Entry, entryOf, stampOf } from './entry.ts'
import { flush } from './flush.ts'
import { deepest, inside, isGone, namesIn, statIn, within } from './folders.ts'
import type { Limits } from './limits.ts'
import type { Store } from './store.ts'
import type { Marked, Root } from './wire.ts'

/** Paths that are named among those that were left out, and of how many characters. */
const mostNamed = 20
const mostCharacters = 1000

/** Bytes of a list, which is read as one text. */
const mostListed = 200 * 1024 ** 2

/** Stores what lies in the roots. What did not change since the newest mark is not read again. */
export function mark(store: Store, id: string, roots: readonly Root[], limits: Limits, listed = mostListed): Marked {
  const before = store.newest()
  const since = Date.now()
  // What programs write to mapped files moves their change times only once what was written before is on the disk.
  for (const { at } of roots) if (existsSync(at)) flush(at)
  const marked: Marked = {
    files: 0,
    folders: 0,
    links: 0,
    bytes: 0,
    leftOut: 0,
    leftOutPaths: [],
    tooDeep: 0,
    moving: 0,
  }

  /** Folders that are too deep are named first: nothing can be put back because of them. */
  function leaveOut(path: string, isDeep = false): void {
    const { leftOutPaths } = marked
    const text = shown(path).slice(0, mostCharacters)
    marked.leftOut++
    if (isDeep) leftOutPaths.unshift(text)
    else if (leftOutPaths.length < mostNamed) leftOutPaths.push(text)
    leftOutPaths.splice(mostNamed)
  }

  function one(folder: number, name: string, known: Entry | undefined, path: string, depth: number): Entry | null {
    limits.entry()
    const stats = statIn(folder, name)
    const entry = stats && entryOf(name, stats, since)
    if (!entry) {
      if (stats) leaveOut(path)
      return null
    }
    if (entry.kind === 'd') return below(entry, inside(folder, name), known, path, depth)
    if (entry.kind === 'l') return link(entry, folder)
    if (known?.kind === 'f' && entry.stamp !== '' && known.stamp === entry.stamp && store.has(known.content))
      return file({ ...entry, content: known.content })
    const read = store.keep(inside(folder, name), limits)
    if (!read) return null
    if (read.moving) marked.moving++
    const stamp = read.moving ? '' : stampOf(read.stats, since)
    return file({ ...entry, content: read.digest, size: Number(read.stats.size), stamp })
  }

  function file(entry: Entry): Entry {
    marked.files++
    marked.bytes += entry.size
    return entry
  }

  function link(entry: Entry, folder: number): Entry | null {
    try {
      const target = readlinkSync(inside(folder, entry.name), { encoding: 'buffer' })
      marked.links++
      return { ...entry, content: target.toString('latin1'), stamp: '' }
    } catch (error) {
      // Something else took its place.
      if (isGone(error) || (error as NodeJS.ErrnoException).code === 'EINVAL') return null
      throw error
    }
  }

  function below(entry: Entry, at: Buffer | string, known: Entry | undefined, path: string, depth: number): Entry {
    marked.folders++
    if (depth >= deepest) {
      leaveOut(`${path}/*`, true)
      marked.tooDeep++
    } else
      within(at, (folder) => {
        for (const name of namesIn(folder)) {
          const found = one(folder, name, known?.entries.get(name), `${path}/${name}`, depth + 1)
          if (found) entry.entries.set(name, found)
        }
      })
    return { ...entry, stamp: '' }
  }

  const entries = roots.flatMap((root) => {
    const made = within(root.at, (folder) => {
      const entry = entryOf(root.shown, statIn(folder, '.')!)!
      return below(entry, root.at, before.get(root.shown), root.shown, 0)
    })
    return made ? [made] : []
  })
  store.write(id, entries, limits, listed)
  return marked
}

/** A path as text: bytes that are no text are shown as another character. */
export const shown = (path: string): string => Buffer.from(path, 'latin1').toString('utf8')
