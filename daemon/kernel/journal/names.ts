import { type Db, withinChange } from '../store/db.ts'
import type { UndoLog } from './undo.ts'

/** Numbers for texts that many entries share, which keep rows and indexes small. */
export interface Names {
  /** Finds or creates the number of a text in a workspace. Workspace 0 holds the ids of workspaces. */
  intern(ws: number, text: string): number
  /** The number of a text; undefined if it was never used in the workspace. */
  find(ws: number, text: string): number | undefined
}

/** Most texts kept in memory, after which the cache is cleared. Most of them are run ids. */
const cacheLimit = 50_000

export function createNames(db: Db, undo: UndoLog): Names {
  const select = db
    .prepare<[number, string], number>('SELECT name FROM journal_names WHERE ws = ? AND text = ?')
    .pluck()
  const insert = withinChange(db, db.prepare<[number, string]>('INSERT INTO journal_names (ws, text) VALUES (?, ?)'))
  const known = new Map<number, Map<string, number>>()
  let size = 0

  function keep(ws: number, text: string, name: number): number {
    if (size >= cacheLimit) {
      known.clear()
      size = 0
    }
    const texts = known.get(ws) ?? new Map<string, number>()
    known.set(ws, texts.set(text, name))
    size++
    return name
  }

  function find(ws: number, text: string): number | undefined {
    const cached = known.get(ws)?.get(text)
    if (cached !== undefined) return cached
    const stored = select.get(ws, text)
    return stored === undefined ? undefined : keep(ws, text, stored)
  }

  return {
    find,
    intern(ws, text) {
      const name = find(ws, text)
      if (name !== undefined) return name
      const made = Number(insert.run(ws, text).lastInsertRowid)
      undo.push(() => known.get(ws)?.delete(text))
      return keep(ws, text, made)
    },
  }
}
