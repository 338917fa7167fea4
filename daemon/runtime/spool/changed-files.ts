import { Buffer, isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, opendirSync, openSync, readSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { deflateRawSync } from 'node:zlib'

export interface ChangedRequest {
  op: 'changed'
  /** With `uid`, only files of that user; with `others` also those of other users, as such. */
  roots: { path: string; uid?: number; others?: boolean }[]
  /** Milliseconds since 1970. */
  since: number
  most: ChangedBounds
  /** What is text is answered too: of files with up to `fileBytes`, `bytes` of answers in all. */
  texts?: { fileBytes: number; bytes: number }
}

/** How much is looked at. Whatever is beyond is told as cut. */
export interface ChangedBounds {
  entries: number
  files: number
  bytes: number
  /** Of all paths together. */
  pathBytes: number
  depth: number
  ms: number
}

export type Cut =
  | 'too_many_entries'
  | 'too_many_files'
  | 'too_many_bytes'
  | 'too_deep'
  | 'too_slow'
  | 'unreadable'
  | 'changing'

export interface FoundFile {
  root: number
  /** Its bytes in base64, below the root. */
  path: string
  size: number
  sha256: string
  /** It belongs to another user. */
  other?: true
  /** It was made since then. */
  made?: true
  /** Its content, deflated, in base64. */
  text?: string
}

export interface ChangedAnswer {
  files: FoundFile[]
  cuts: Cut[]
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const chunkBytes = 256 * 1024
const own = Buffer.from('.git')
const slash = Buffer.from('/')

/** Ends the search: what was found until then is told. */
class Enough extends Error {}

/**
 * Hashes the files that changed since then: by the time of their last change, which their owner cannot set back. No
 * link is followed, and what is in repositories' own folders is left out.
 */
export function changedFiles({ roots, since, most, texts }: ChangedRequest): ChangedAnswer {
  const search = new Search(BigInt(Math.floor(since)) * 1_000_000n, most, texts)
  try {
    for (const [number, root] of roots.entries()) search.root(number, root)
  } catch (error) {
    if (!(error instanceof Enough)) throw error
  }
  return search.answer()
}

class Search {
  private readonly since: bigint
  private readonly most: ChangedBounds
  private readonly until: number
  private readonly files: ChangedAnswer['files'] = []
  private readonly cuts = new Set<Cut>()
  private readonly chunk = Buffer.allocUnsafe(chunkBytes)
  private entries = 0
  private bytes = 0
  private pathBytes = 0
  private at: { root: number; uid: bigint | null; others: boolean } = { root: 0, uid: null, others: false }
  private readonly textFileBytes: number
  private textBytes: number

  constructor(since: bigint, most: ChangedBounds, texts = { fileBytes: -1, bytes: 0 }) {
    this.since = since
    this.most = most
    this.textFileBytes = texts.fileBytes
    this.textBytes = texts.bytes
    this.until = performance.now() + most.ms
  }

  answer(): ChangedAnswer {
    return { files: this.files, cuts: [...this.cuts] }
  }

  root(root: number, { path, uid, others = false }: ChangedRequest['roots'][number]): void {
    this.at = { root, uid: uid === undefined ? null : BigInt(uid), others }
    const folder = this.open(path, O_DIRECTORY)
    if (folder !== null) this.folder(folder, [])
  }

  private folder(folder: number, above: Buffer[]): void {
    const base = Buffer.from(`/proc/self/fd/${folder}/`)
    try {
      const names = opendirSync(base, { encoding: 'buffer' as BufferEncoding })
      try {
        for (let it = names.readSync(); it; it = names.readSync())
          this.entry(base, [...above, it.name as unknown as Buffer])
      } finally {
        names.closeSync()
      }
    } finally {
      closeSync(folder)
    }
  }

  private entry(base: Buffer, path: Buffer[]): void {
    if (++this.entries > this.most.entries) this.stop('too_many_entries')
    this.checkTime()
    const name = path.at(-1)!
    const file = Buffer.concat([base, name])
    const stats = this.look(file)
    if (stats?.isDirectory()) {
      if (name.equals(own)) return
      if (path.length >= this.most.depth) return void this.cuts.add('too_deep')
      const folder = this.open(file, O_DIRECTORY)
      if (folder !== null) this.folder(folder, path)
    } else if (stats?.isFile() && stats.ctimeNs >= this.since && (this.at.others || this.isOurs(stats)))
      this.add(file, path, stats)
  }

  private isOurs = ({ uid }: BigIntStats): boolean => this.at.uid === null || uid === this.at.uid

  private look(file: Buffer): BigIntStats | null {
    try {
      return lstatSync(file, { bigint: true })
    } catch (error) {
      return this.unreadable(error)
    }
  }

  /** What disappeared meanwhile, or became a link, is not there; what may not be read is told. */
  private open(file: Buffer | string, flags: number): number | null {
    try {
      return openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags)
    } catch (error) {
      return this.unreadable(error)
    }
  }

  private unreadable(error: unknown): null {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? ''))
      this.cuts.add('unreadable')
    return null
  }

  private add(file: Buffer, parts: Buffer[], stats: BigIntStats): void {
    const path = Buffer.concat(parts.flatMap((part, index) => (index ? [slash, part] : [part])))
    if (this.files.length === this.most.files) this.stop('too_many_files')
    this.pathBytes += path.length
    if (this.pathBytes > this.most.pathBytes) this.stop('too_many_files')
    const open = this.open(file, 0)
    if (open === null) return
    try {
      let found = this.hash(open)
      if (found === 'changing') found = this.hash(open)
      if (typeof found === 'string') this.cuts.add(found)
      else if (found)
        this.files.push({
          root: this.at.root,
          path: path.toString('base64'),
          size: found.size,
          sha256: found.sha256,
          ...(!this.isOurs(stats) && { other: true }),
          ...(stats.birthtimeNs >= this.since && { made: true }),
          ...this.text(found.content),
        })
    } finally {
      closeSync(open)
    }
  }

  /** Null when it is no file any more. */
  private hash(file: number): { size: number; sha256: string; content: Buffer | null } | Cut | null {
    const before = fstatSync(file, { bigint: true })
    if (!before.isFile()) return null
    const size = Number(before.size)
    if (this.bytes + size > this.most.bytes) return 'too_many_bytes'
    const hash = createHash('sha256')
    const content = size <= this.textFileBytes ? Buffer.allocUnsafe(size) : null
    let at = 0
    try {
      for (let read = -1; read !== 0 && at <= size; at += read) {
        this.checkTime()
        read = readSync(file, this.chunk, 0, chunkBytes, at)
        hash.update(this.chunk.subarray(0, read))
        // What is beyond the size that was told is not copied: the file is changing then.
        if (content && at < size) this.chunk.copy(content, at, 0, read)
      }
    } catch (error) {
      if (error instanceof Enough) throw error
      return 'unreadable'
    } finally {
      this.bytes += at
    }
    const after = fstatSync(file, { bigint: true })
    const same = at === size && after.size === before.size && after.ctimeNs === before.ctimeNs
    return same ? { size, sha256: hash.digest('hex'), content } : 'changing'
  }

  /** The content of a file that is text, while there is room for it. */
  private text(content: Buffer | null): { text?: string } {
    if (!content || content.includes(0) || !isUtf8(content)) return {}
    const text = deflateRawSync(content).toString('base64')
    if (text.length > this.textBytes) return {}
    this.textBytes -= text.length
    return { text }
  }

  private checkTime(): void {
    if (performance.now() > this.until) this.stop('too_slow')
  }

  private stop(cut: Cut): never {
    this.cuts.add(cut)
    throw new Enough()
  }
}
