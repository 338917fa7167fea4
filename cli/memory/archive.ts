import { closeSync, constants, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { InputError } from '../input.ts'

export interface Document {
  path: string
  content: string
}

/** What the server takes at once. */
const mostBytes = 32 * 1024 * 1024
const mostFiles = 5000

const tooMuch = () => new InputError('That is more than 32 MB or 5000 files.', 'import a part of it at a time')

/** The Markdown files of a folder or an archive; `left` is told of each link, which is not followed. */
export function documentsIn(path: string, left: (path: string) => void): Document[] {
  const documents = isFolder(path) ? inFolder(path, left) : inArchive(readFileSync(path), path)
  if (!documents.length) throw new InputError(`There are no Markdown files in ${path}.`)
  return documents
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    throw new InputError(`There is no file or folder ${path}.`)
  }
}

function inFolder(folder: string, left: (path: string) => void): Document[] {
  const documents: Document[] = []
  let bytes = 0
  const walk = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below ? `${below}/${entry.name}` : entry.name
      if (entry.isDirectory()) walk(path)
      if (entry.isSymbolicLink()) left(path)
      if (!entry.isFile() || !path.endsWith('.md')) continue
      const { nlink, size } = statSync(join(folder, path))
      // One file under several names: this name may have been given by whoever may not read it.
      if (nlink > 1) {
        left(path)
        continue
      }
      bytes += size
      if (bytes > mostBytes || documents.length === mostFiles) throw tooMuch()
      documents.push({ path, content: contentOf(join(folder, path)) })
    }
  }
  walk('')
  return documents.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Fails where a link has taken the file's place meanwhile. */
function contentOf(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** The members of a ZIP archive by its directory: stored or deflated, without encryption. */
function inArchive(archive: Buffer, called: string): Document[] {
  const broken = () => new InputError(`${called} is no ZIP archive that can be read.`)
  const end = archive.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end < 0 || end + 22 > archive.length) throw broken()
  const documents: Document[] = []
  let left = mostBytes
  let at = archive.readUInt32LE(end + 16)
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== 0x02014b50) throw broken()
    const [method, packed, size] = [
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
    ]
    const [name, extra, comment] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ]
    const path = archive.toString('utf8', at + 46, at + 46 + name)
    const local = archive.readUInt32LE(at + 42)
    at += 46 + name + extra + comment
    if (!path.endsWith('.md')) continue
    left -= size
    if (left < 0 || documents.length === mostFiles) throw tooMuch()
    if (local + 30 > archive.length) throw broken()
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    documents.push({ path, content: unpacked(archive.subarray(from, from + packed), method, size, broken) })
  }
  return documents
}

function unpacked(bytes: Buffer, method: number, size: number, broken: () => Error): string {
  if (method === 0) return bytes.toString('utf8')
  if (method !== 8) throw broken()
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) }).toString('utf8')
  } catch {
    throw broken()
  }
}
