import { existsSync, readFileSync, statSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { replaceFile } from '../store/data-dir.ts'
import {
  fold,
  type Head,
  makeSeal,
  nothingSealed,
  type ReadSeals,
  readSeals,
  type SealFault,
  sameText,
} from './seal.ts'

/** Lines after which older ones are folded, and the number of newest ones that are kept. */
const manyLines = 1024
const keptLines = 64

/** The file beside the database that holds one seal per line. */
export interface SealFile {
  /** Seq and time of the newest seal. */
  readonly newest: { seq: number; at: string | null }
  /** Appends a seal; resolves once it is on the disk. */
  append(seal: { at: string; seq: number; heads: Head[] }): Promise<void>
  /** Reads and verifies the file, and that this process wrote it last. Not to be called during `append`. */
  read(): Promise<Pick<ReadSeals, 'seals' | 'fault'>>
}

/** Reads a seal file. Without a key only form and order are checked. */
export function loadSeals(path: string, key: Buffer | null): ReadSeals {
  if (!existsSync(path)) return nothingSealed
  // Reading a named pipe would never end.
  if (!statSync(path).isFile()) return unreadable('it is no regular file')
  try {
    return readSeals(readFileSync(path, 'utf8'), key)
  } catch (error) {
    return unreadable(`it cannot be read: ${(error as Error).message}`)
  }
}

const unreadable = (reason: string): ReadSeals => ({ seals: [], fault: { kind: 'forged', reason }, size: 0 })

/** Continues the seals that were loaded from `path`, or starts a new file. */
export function openSealFile(path: string, installation: string, key: Buffer, loaded: ReadSeals): SealFile {
  const last = loaded.seals.at(-1)
  const newest = { seq: last?.seq ?? 0, at: last?.at ?? null }
  let mac = last?.mac ?? ''
  let size = loaded.size
  let lines = loaded.seals.length
  let foldAt = lines + manyLines

  async function addLine(line: string): Promise<void> {
    const file = await open(path, 'a', 0o600)
    try {
      // Removes a partial line of a failed write or a crash.
      if ((await file.stat()).size > size) await file.truncate(size)
      await file.appendFile(line)
      await file.datasync()
    } finally {
      await file.close()
    }
    size += Buffer.byteLength(line)
  }

  async function write(text: string): Promise<void> {
    await replaceFile(path, text)
    size = Buffer.byteLength(text)
  }

  async function read(): Promise<{ seals: ReadSeals['seals']; fault: SealFault | null }> {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    const { seals, fault } = readSeals(bytes.toString('utf8', 0, size), key)
    if (fault || sameText(seals.at(-1)!.mac, mac)) return { seals, fault }
    return { seals, fault: { kind: 'forged', reason: 'the seal file is not the one that this daemon wrote last' } }
  }

  async function shorten(): Promise<void> {
    foldAt = lines + manyLines
    const { seals, fault } = await read()
    // Invalid seals must not get new MACs.
    if (fault) return
    const folded = fold(key, seals, keptLines)
    await write(folded.map((seal) => `${JSON.stringify(seal)}\n`).join(''))
    lines = folded.length
    mac = folded.at(-1)!.mac
    foldAt = lines + manyLines
  }

  return {
    newest,
    async append({ at, seq, heads }) {
      const seal = makeSeal(key, { installation, at, seq, heads, prev: mac })
      const line = `${JSON.stringify(seal)}\n`
      await (lines ? addLine(line) : write(line))
      mac = seal.mac
      lines++
      Object.assign(newest, { seq, at })
      if (lines >= foldAt) await shorten()
    },
    read,
  }
}
