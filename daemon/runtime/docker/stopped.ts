import { Buffer } from 'node:buffer'
import type { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import { RuntimeError } from '../errors.ts'
import { ownWords } from '../spool/record.ts'
import type { FileEntry } from '../types.ts'
import { type Container, ifThere } from './engine.ts'

/** Largest archive that is read. Volumes of stopped containers are read as archives, in which no link is followed. */
const maxScanBytes = 1024 * 1024 * 1024
const maxEntries = 10_000
const maxFileBytes = 256 * 1024 * 1024
const stderrBytes = 8 * 1024

interface Visit {
  name: string
  type: string
  size: number
  mtime: Date
  content: AsyncIterable<Buffer>
}

/** Visits the entries of a folder, by relative name, until the visitor returns false. False if there is no folder. */
async function visit(
  container: Container,
  folder: string,
  each: (entry: Visit) => Promise<boolean | undefined>,
): Promise<boolean> {
  const stream = (await ifThere('reading from a stopped container', () =>
    container.getArchive({ path: folder }),
  )) as Readable | null
  if (!stream) return false
  const tar = extract()
  stream.on('error', (error) => tar.destroy(error))
  stream.pipe(tar)
  const prefix = folder.split('/').at(-1)!
  let scanned = 0
  try {
    for await (const entry of tar) {
      const { name, type, size = 0, mtime } = entry.header
      scanned += size
      if (scanned > maxScanBytes)
        throw new RuntimeError(
          'not_running',
          'The folder is too large to read while the crew is stopped. Start the crew first',
        )
      const relative = name.slice(prefix.length).replace(/^\/|\/$/g, '')
      const goOn = await each({
        name: relative,
        type: type ?? 'file',
        size,
        mtime: mtime ?? new Date(0),
        content: entry as unknown as AsyncIterable<Buffer>,
      })
      if (goOn === false) return true
      entry.resume()
    }
    return true
  } finally {
    stream.destroy()
    tar.destroy()
  }
}

/** Keeps only the last bytes of a stream. */
async function lastOf(content: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0)
  for await (const chunk of content) last = Buffer.concat([last, chunk]).subarray(-bytes)
  return last
}

async function whole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Reads a run's spool to its end in a stopped container, where no process can be alive. Null without a spool. */
export async function readStoppedSpool(
  container: Container,
  dir: string,
  offset: number,
  data: (chunk: Buffer, at: number) => void,
): Promise<{ record: string | null; stderr: string } | null> {
  let record: string | null = null
  let stderr = ''
  const there = await visit(container, dir, async ({ name, type, content }) => {
    if (type !== 'file') return
    if (name === 'exit') record = (await whole(content)).toString()
    if (name === 'err') stderr = ownWords((await lastOf(content, stderrBytes)).toString())
    if (name !== 'out') return
    let at = 0
    for await (const chunk of content) {
      const from = Math.max(0, offset - at)
      if (from < chunk.length) data(chunk.subarray(from), at + from)
      at += chunk.length
    }
  })
  return there ? { record, stderr } : null
}

export async function readStopped(container: Container, root: string, path: string): Promise<Buffer | null> {
  let found: Buffer | null = null
  await visit(container, root, async ({ name, type, size, content }) => {
    if (name !== path || type !== 'file') return
    if (size > maxFileBytes)
      throw new RuntimeError('refused', `${path} has ${size} bytes; files of up to ${maxFileBytes} can be read`)
    found = await whole(content)
    return false
  })
  return found
}

export async function listStopped(
  container: Container,
  root: string,
  subdir: string,
  recursive: boolean,
): Promise<FileEntry[]> {
  const entries: FileEntry[] = []
  const prefix = subdir ? `${subdir}/` : ''
  await visit(container, root, async ({ name, type, size, mtime }) => {
    if (!name?.startsWith(prefix) || name === subdir) return
    if (!recursive && name.slice(prefix.length).includes('/')) return
    entries.push({
      path: name,
      name: name.split('/').at(-1)!,
      size,
      is_dir: type === 'directory',
      mod_time: mtime.toISOString(),
    })
    return entries.length < maxEntries
  })
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}
