import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type Db, isDamaged, openReader } from '#kernel/store/db'

type FileState = { is: 'missing' | 'empty' | 'ours' } | { is: 'foreign' | 'damaged'; why: string }

const headerBytes = 100
const magic = 'SQLite format 3\0'

/**
 * Looks at a database file without changing it. Cheap at any size, so pages that are not read may still be damaged.
 */
export function inspectFile(file: string): FileState {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) return { is: 'missing' }
  if (size === 0) return { is: 'empty' }
  const header = readHeader(file)
  if (size < headerBytes || header.toString('latin1', 0, magic.length) !== magic)
    return { is: 'damaged', why: 'it does not begin as a database does' }
  try {
    const db = openReader(file)
    try {
      return inspectSchema(db, size < pagesOf(header) * pageSizeOf(header))
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isDamaged(error)) throw error
    return { is: 'damaged', why: (error as Error).message }
  }
}

function readHeader(file: string): Buffer {
  const header = Buffer.alloc(headerBytes)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, header, 0, headerBytes, 0)
  } finally {
    closeSync(descriptor)
  }
  return header
}

// Offsets 16 and 28 of SQLite's file format; a page size of 1 stands for 65,536.
const pageSizeOf = (header: Buffer): number => (header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16))
const pagesOf = (header: Buffer): number => header.readUInt32BE(28)

/**
 * `short`: the file is smaller than its header says. That is so after a crash too, when the write-ahead log has the
 * rest.
 */
function inspectSchema(db: Db, short: boolean): FileState {
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  if (short) {
    const found = db.pragma('quick_check(1)', { simple: true })
    if (found !== 'ok') return { is: 'damaged', why: 'pages at its end are missing' }
  }
  if (tables.length === 0) return { is: 'empty' }
  return tables.includes('migrations')
    ? { is: 'ours' }
    : { is: 'foreign', why: `it has tables such as ${tables[0]}, and none of Muster` }
}
