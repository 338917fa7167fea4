/** What the program that marks files is asked, and what it answers. */

/** A folder of the crew, by the path at which agents see it. */
export interface Root {
  shown: string
  at: string
}

interface Anything {
  store: string
  roots: Root[]
  /** Seconds after which it gives up. */
  seconds: number
}

export interface MarkRequest {
  op: 'mark'
  id: string
  /** All marks that are needed besides; others are dropped. */
  keep: string[]
  /** Most bytes that the store may hold, and fewest that it must leave free on its disk. */
  mostBytes: number
  reserveBytes: number
}

export interface PruneRequest {
  op: 'prune'
  keep: string[]
}

export interface ChangesRequest {
  op: 'changes'
  id: string
  limit: number
}

export interface DiffRequest {
  op: 'diff'
  id: string
  path: string
}

export interface RestoreRequest {
  op: 'restore'
  id: string
}

export type MarksRequest = MarkRequest | PruneRequest | ChangesRequest | DiffRequest | RestoreRequest
export type FullRequest = MarksRequest & Anything

export interface Marked {
  files: number
  folders: number
  links: number
  bytes: number
  /** What was not marked: sockets, pipes, what lies too deep. */
  leftOut: number
  leftOutPaths: string[]
  /** Folders among them, whose content is lost where they are removed. */
  tooDeep: number
  /** Files that were written while they were read. */
  moving: number
}

export interface Change {
  change: 'added' | 'changed' | 'deleted'
  kind: 'file' | 'folder' | 'link'
  path: string
  /** Whether the path has bytes that are no text, which are shown as another character. */
  odd: boolean
  sizeBefore: number | null
  sizeNow: number | null
  /** What differs of something that changed. */
  what: ('content' | 'mode' | 'owner' | 'kind')[]
  /** The user id of the owner now, or before where it was deleted. */
  uid: number
}

export interface Changes {
  added: number
  changed: number
  deleted: number
  /** The first of them by path. */
  entries: Change[]
}

/** Of a path whose text changed. */
export interface Difference {
  /** `same` also where the path is in neither. */
  state: 'text' | 'binary' | 'too_large' | 'same' | 'no_file'
  diff: string
}

export interface Restored {
  written: number
  removed: number
  /** What still differs afterwards; 0 unless something went wrong. */
  left: number
}

export interface Answers {
  mark: Marked
  prune: Record<string, never>
  changes: Changes
  diff: Difference
  restore: Restored
}
