import { readlinkSync } from 'node:fs'
import { readContent } from './content.ts'
import { type Entry, entryOf } from './entry.ts'
import { inside, statIn } from './folders.ts'
import type { Limits } from './limits.ts'

/** What is there now under a name; null for nothing, and for what cannot be marked. */
export function liveIn(folder: number, name: string): Entry | null {
  const stats = statIn(folder, name)
  return stats ? entryOf(name, stats) : null
}

/** Whether a file or link that is there has the content of a marked one of its kind. */
export function sameContent(folder: number, now: Entry, marked: Entry, limits: Limits): boolean {
  const path = inside(folder, now.name)
  if (now.kind === 'l') return readlinkSync(path, { encoding: 'buffer' }).toString('latin1') === marked.content
  if (now.size !== marked.size) return false
  if (now.stamp !== '' && now.stamp === marked.stamp) return true
  return readContent(path, limits)?.digest === marked.content
}
