import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  lchownSync,
  lutimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { copyContent } from './content.ts'
import { type Entry, raw } from './entry.ts'
import { deepest, inside, namesIn, statIn, within } from './folders.ts'
import { GivenUp, type Limits } from './limits.ts'
import { liveIn, sameContent } from './live.ts'
import type { Store } from './store.ts'
import type { Restored, Root } from './wire.ts'

/**
 * A file that is being written, of a name that agents cannot have taken. One that an earlier attempt left is removed,
 * since no mark names it.
 */
const partName = () => `.muster-put-back-${randomBytes(8).toString('hex')}`

/**
 * Makes what lies in the roots as a mark says. May be done again at any point where it was interrupted. Nobody else may
 * write meanwhile.
 */
export function restore(
  store: Store,
  marked: ReadonlyMap<string, Entry>,
  roots: readonly Root[],
  limits: Limits,
): Omit<Restored, 'left'> {
  const done = { written: 0, removed: 0 }

  function fill(folder: number, want: Entry, depth: number): void {
    if (depth > deepest) return
    for (const name of namesIn(folder)) {
      const now = liveIn(folder, name)
      const wanted = want.entries.get(name)
      // What cannot be marked stays, unless it is in the way.
      if (wanted ? now?.kind !== wanted.kind : now) drop(folder, name)
    }
    for (const entry of want.entries.values()) put(folder, entry, depth)
  }

  function drop(folder: number, name: string): void {
    const stats = statIn(folder, name)
    if (!stats) return
    limits.entry()
    done.removed++
    if (!stats.isDirectory()) {
      unlinkSync(inside(folder, name))
      return
    }
    within(inside(folder, name), (below) => {
      for (const one of namesIn(below)) drop(below, one)
    })
    rmdirSync(inside(folder, name))
  }

  function put(folder: number, want: Entry, depth: number): void {
    limits.entry()
    const path = inside(folder, want.name)
    const now = liveIn(folder, want.name)
    if (want.kind === 'd') {
      if (!now) mkdirSync(path, { mode: 0o700 })
      within(path, (below) => fill(below, want, depth + 1))
      if (!now) done.written++
    } else if (!now || isShared(folder, now, want) || !sameContent(folder, now, want, limits)) {
      if (want.kind === 'f') write(folder, want)
      else link(folder, want, now !== null)
      done.written++
    }
    adorn(folder, want)
  }

  /** What another name of the file has, it would get as well. */
  const isShared = (folder: number, now: Entry, want: Entry): boolean =>
    want.kind === 'f' && !isAdorned(now, want) && statIn(folder, want.name)?.nlink !== 1n

  function write(folder: number, want: Entry): void {
    if (!store.has(want.content)) throw new GivenUp('a marked file is missing')
    const part = inside(folder, partName())
    const from = openSync(store.blob(want.content), 'r')
    try {
      const to = openSync(part, 'wx', 0o600)
      try {
        copyContent(from, to, limits)
      } finally {
        closeSync(to)
      }
    } finally {
      closeSync(from)
    }
    renameSync(part, inside(folder, want.name))
  }

  function link(folder: number, want: Entry, isThere: boolean): void {
    const path = inside(folder, want.name)
    if (isThere) unlinkSync(path)
    symlinkSync(raw(want.content), path)
  }

  /** Owner, mode and time; the owner first, since that takes bits of the mode away. */
  function adorn(folder: number, want: Entry): void {
    const now = liveIn(folder, want.name)
    if (!now) throw new GivenUp('something else changes the files')
    const path = inside(folder, want.name)
    const owned = isOwned(now, want)
    if (!owned) lchownSync(path, want.uid, want.gid)
    if (want.kind !== 'l' && (!owned || now.mode !== want.mode)) chmodSync(path, want.mode)
    if (now.mtime !== want.mtime) lutimesSync(path, want.mtime, want.mtime)
  }

  for (const { shown, at } of roots) {
    const want = marked.get(shown)
    if (want) within(at, (folder) => fill(folder, want, 0))
  }
  return done
}

const isOwned = (now: Entry, want: Entry): boolean => now.uid === want.uid && now.gid === want.gid

const isAdorned = (now: Entry, want: Entry): boolean =>
  isOwned(now, want) && now.mode === want.mode && now.mtime === want.mtime
