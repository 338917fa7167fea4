import { Buffer } from 'node:buffer'
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Read, readContent } from './content.ts'
import type { Entry } from './entry.ts'
import { flush } from './flush.ts'
import { GivenUp, type Limits } from './limits.ts'

/** The marks of a crew: contents by their digests, and for each mark a list of entries. */
export class Store {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    for (const it of ['blobs', 'trees', 'tmp']) mkdirSync(join(folder, it), { recursive: true, mode: 0o700 })
  }

  get folder(): string {
    return this.#folder
  }

  blob = (digest: string): string => join(this.#folder, 'blobs', digest.slice(0, 2), digest)
  #tree = (id: string): string => join(this.#folder, 'trees', id)
  temporary = (name: string): string => join(this.#folder, 'tmp', name)

  has(digest: string): boolean {
    return digest !== '' && existsSync(this.blob(digest))
  }

  /** Keeps the content of a file; null when the file is gone. */
  keep(path: Buffer, limits: Limits): Read | null {
    const part = this.temporary('part')
    const file = openSync(part, 'w', 0o600)
    try {
      const read = readContent(path, limits, () => {
        ftruncateSync(file, 0)
        return file
      })
      if (read && !this.has(read.digest)) {
        mkdirSync(join(this.#folder, 'blobs', read.digest.slice(0, 2)), { recursive: true, mode: 0o700 })
        renameSync(part, this.blob(read.digest))
      } else if (read) limits.stored(-statSync(part).blocks * 512)
      return read
    } finally {
      closeSync(file)
      rmSync(part, { force: true })
    }
  }

  /** Stores a mark once all that it names is on the disk. */
  write(id: string, roots: Entry[], limits: Limits, mostBytes: number): void {
    const part = this.temporary('tree')
    const file = openSync(part, 'w', 0o600)
    let size = 0
    try {
      for (const line of lines(roots)) {
        const bytes = Buffer.from(line)
        // A disk that is nearly full takes a part, and refuses the rest.
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
        size += bytes.length
        limits.stored(bytes.length)
        if (size > mostBytes) throw new GivenUp('names and targets of links are too long to be listed')
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    flush(this.#folder)
    renameSync(part, this.#tree(id))
    const folder = openSync(join(this.#folder, 'trees'), 'r')
    fsyncSync(folder)
    closeSync(folder)
  }

  /** The roots of a mark. */
  read(id: string): Map<string, Entry> {
    if (!existsSync(this.#tree(id))) throw new GivenUp('the marked files are not there any more')
    const roots = new Map<string, Entry>()
    const open: Entry[] = []
    for (const line of readFileSync(this.#tree(id), 'utf8').split('\n')) {
      if (!line) continue
      const [depth, name, kind, mode, uid, gid, mtime, size, content, stamp] = JSON.parse(line) as Line
      const entry: Entry = { name, kind, mode, uid, gid, mtime, size, content, stamp, entries: new Map() }
      open.length = depth
      if (depth === 0) roots.set(name, entry)
      else open[depth - 1]!.entries.set(name, entry)
      open.push(entry)
    }
    return roots
  }

  /** The newest mark, with which another one begins. */
  newest(): Map<string, Entry> {
    const [id] = this.#marks()
      .map((name) => ({ name, at: statSync(this.#tree(name)).mtimeMs }))
      .sort((a, b) => b.at - a.at)
    return id ? this.read(id.name) : new Map()
  }

  #marks = (): string[] => readdirSync(join(this.#folder, 'trees'))

  /** Bytes that all contents and lists take. */
  size(): number {
    let bytes = 0
    for (const path of this.#blobs()) bytes += statSync(path).blocks * 512
    for (const id of this.#marks()) bytes += statSync(this.#tree(id)).size
    return bytes
  }

  *#blobs(): Iterable<string> {
    const blobs = join(this.#folder, 'blobs')
    for (const part of readdirSync(blobs))
      for (const name of readdirSync(join(blobs, part))) yield join(blobs, part, name)
  }

  /** Drops marks that are not to be kept, and contents that no other one names. */
  prune(keep: ReadonlySet<string>, thoroughly: boolean): void {
    const gone = this.#marks().filter((id) => !keep.has(id))
    rmSync(join(this.#folder, 'tmp'), { recursive: true, force: true })
    mkdirSync(join(this.#folder, 'tmp'), { mode: 0o700 })
    if (!gone.length && !thoroughly) return
    for (const id of gone) rmSync(this.#tree(id))
    const named = new Set<string>()
    for (const id of this.#marks()) for (const root of this.read(id).values()) gather(root, named)
    for (const path of this.#blobs()) if (!named.has(path.slice(path.lastIndexOf('/') + 1))) rmSync(path)
  }
}

type Line = [
  depth: number,
  name: string,
  kind: Entry['kind'],
  mode: number,
  uid: number,
  gid: number,
  mtime: number,
  size: number,
  content: string,
  stamp: string,
]

function* lines(entries: Iterable<Entry>, depth = 0): Iterable<string> {
  for (const { name, kind, mode, uid, gid, mtime, size, content, stamp, entries: below } of entries) {
    const line: Line = [depth, name, kind, mode, uid, gid, mtime, size, content, stamp]
    yield `${JSON.stringify(line)}\n`
    yield* lines(below.values(), depth + 1)
  }
}

function gather(entry: Entry, into: Set<string>): void {
  if (entry.kind === 'f') into.add(entry.content)
  for (const below of entry.entries.values()) gather(below, into)
}
