import type { Entry } from './entry.ts'
import { deepest, inside, isGone, namesIn, within } from './folders.ts'
import type { Limits } from './limits.ts'
import { liveIn, sameContent } from './live.ts'
import { shown } from './mark.ts'
import type { Change, Changes, Root } from './wire.ts'

const kinds = { f: 'file', d: 'folder', l: 'link' } as const

/** Characters of all paths that are named. */
const mostCharacters = 2_000_000

/** What differs from a mark now. */
export function changes(
  marked: ReadonlyMap<string, Entry>,
  roots: readonly Root[],
  limit: number,
  limits: Limits,
): Changes {
  const found: Changes = { added: 0, changed: 0, deleted: 0, entries: [] }
  let characters = 0

  function tell(change: Change['change'], path: string, before: Entry | null, now: Entry | null, what: Change['what']) {
    found[change]++
    if (found.entries.length >= limit || characters > mostCharacters) return
    characters += path.length
    const entry = (now ?? before)!
    const text = shown(path)
    found.entries.push({
      change,
      kind: kinds[entry.kind],
      path: text,
      odd: text.includes('\ufffd'),
      sizeBefore: before ? before.size : null,
      sizeNow: now ? now.size : null,
      what,
      uid: entry.uid,
    })
  }

  function gone(entry: Entry, path: string): void {
    tell('deleted', path, entry, null, [])
    for (const [name, below] of entry.entries) gone(below, `${path}/${name}`)
  }

  function look(folder: number, before: Entry | undefined, path: string, depth: number): void {
    const names = new Set([...namesIn(folder), ...(before?.entries.keys() ?? [])])
    for (const name of [...names].sort())
      pair(folder, name, before?.entries.get(name) ?? null, `${path}/${name}`, depth)
  }

  function pair(folder: number, name: string, before: Entry | null, path: string, depth: number): void {
    limits.entry()
    const now = liveIn(folder, name)
    if (!now) {
      if (before) gone(before, path)
      return
    }
    const what = before ? differences(folder, now, before) : []
    if (!before) tell('added', path, null, now, [])
    else if (what.length) tell('changed', path, before, now, what)
    if (now.kind !== 'd' || depth >= deepest) return
    within(inside(folder, name), (below) => look(below, before?.kind === 'd' ? before : undefined, path, depth + 1))
  }

  function differences(folder: number, now: Entry, before: Entry): Change['what'] {
    if (now.kind !== before.kind) return ['kind']
    const what: Change['what'] = []
    if (now.kind !== 'd' && !same(folder, now, before)) what.push('content')
    if (now.kind !== 'l' && now.mode !== before.mode) what.push('mode')
    if (now.uid !== before.uid || now.gid !== before.gid) what.push('owner')
    return what
  }

  /** What is replaced in this very moment differs. */
  function same(folder: number, now: Entry, before: Entry): boolean {
    try {
      return sameContent(folder, now, before, limits)
    } catch (error) {
      if (isGone(error) || (error as NodeJS.ErrnoException).code === 'EINVAL') return false
      throw error
    }
  }

  for (const { shown: name, at } of roots) within(at, (folder) => look(folder, marked.get(name), name, 1))
  return found
}
