import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { extract, type Header, pack } from 'tar-stream'
import { altered, BundleRefused } from './refusal.ts'

/** The last member: SHA-256 and name of every file before it, as `sha256sum` writes them. */
export const sumsMember = 'SHA256SUMS'

export interface MemberHead {
  name: string
  type: 'file' | 'directory' | 'symlink'
  mode: number
  uid?: number
  gid?: number
  mtime?: Date
  /** Bytes of a file. */
  size?: number
  /** Where a symbolic link leads. */
  linkname?: string
}

export interface Member extends MemberHead {
  /** Bytes of a file: as many as `size` says. */
  content?: AsyncIterable<Uint8Array>
}

/** Keeps the sums while a payload is written: on the disk, since there may be millions. */
export interface SumList {
  add(line: string): Promise<void>
  /** All that was added. */
  close(): Promise<{ size: number; content: AsyncIterable<Uint8Array> }>
}

export interface Packed {
  members: number
  bytes: number
}

/** The tar archive of these members, with the sums at its end. `packed` counts as it goes. */
export async function* packMembers(
  members: AsyncIterable<Member>,
  sums: SumList,
  packed: Packed = { members: 0, bytes: 0 },
): AsyncGenerator<Buffer> {
  const tar = pack()
  const feeding = feed(tar, members, sums, packed).catch((error: Error) => void tar.destroy(error))
  for await (const chunk of tar) yield chunk as Buffer
  await feeding
}

type Pack = ReturnType<typeof pack>

async function feed(tar: Pack, members: AsyncIterable<Member>, sums: SumList, packed: Packed): Promise<void> {
  for await (const member of members) {
    const sum = await put(tar, member, packed)
    packed.members++
    if (sum !== null) await sums.add(sumLine(sum, member.name))
  }
  const { size, content } = await sums.close()
  await put(tar, { name: sumsMember, type: 'file', mode: 0o600, size, content }, packed)
  tar.finalize()
}

const sumLine = (sum: string, name: string): string => `${sum}  ${name}\n`

/** The sum of a file; null of anything else. */
async function put(tar: Pack, { content, ...head }: Member, packed: Packed): Promise<string | null> {
  if (head.type !== 'file') {
    await new Promise<void>((resolve, reject) => tar.entry(head, (error) => (error ? reject(error) : resolve())))
    return null
  }
  const hash = createHash('sha256')
  const size = head.size ?? 0
  let done: (error?: Error | null) => void = () => undefined
  const stored = new Promise<void>((resolve, reject) => {
    done = (error) => (error ? reject(error) : resolve())
  })
  const sink = tar.entry({ ...head, size }, (error) => done(error))
  stored.catch(() => undefined)
  for await (const chunk of exactly(content, size)) {
    hash.update(chunk)
    packed.bytes += chunk.length
    if (!sink.write(chunk))
      await Promise.race([new Promise<void>((resolve) => sink.once('drain', () => resolve())), stored])
  }
  sink.end(null)
  await stored
  return hash.digest('hex')
}

const zeros = Buffer.alloc(64 * 1024)

/** A file that grows or shrinks while it is read is cut, or filled with zeros, to the size that its header says. */
async function* exactly(content: AsyncIterable<Uint8Array> | undefined, size: number): AsyncGenerator<Uint8Array> {
  let left = size
  if (content && left)
    for await (const chunk of content) {
      const part = chunk.subarray(0, left)
      left -= part.length
      if (part.length) yield part
      if (left === 0) break
    }
  for (; left > 0; left -= Math.min(left, zeros.length)) yield zeros.subarray(0, left)
}

/** What takes in the members of a payload. All that it has done is to be undone when `unpackMembers` rejects. */
export type Receiver = (head: MemberHead, content: AsyncIterable<Buffer>) => Promise<void>

/**
 * Hands over each member of a tar archive in turn, once its name and kind are ones that a backup writes, and checks
 * the sums at the end.
 */
export async function unpackMembers(payload: AsyncIterable<Uint8Array>, receive: Receiver): Promise<Packed> {
  const tar = extract()
  const source = Readable.from(payload)
  source.on('error', (error) => tar.destroy(error))
  source.pipe(tar as unknown as NodeJS.WritableStream)
  const all = createHash('sha256')
  const packed = { members: 0, bytes: 0 }
  let sums: string | null = null
  try {
    for await (const entry of tar) {
      if (sums !== null) throw altered('something follows its sums')
      const { header } = entry
      const head = headOf(header)
      const hash = createHash('sha256')
      const count = { bytes: 0 }
      const content = watched(entry as AsyncIterable<Buffer>, (chunk) => {
        hash.update(chunk)
        count.bytes += chunk.length
      })
      if (head.name === sumsMember) {
        for await (const _ of content);
        sums = hash.digest('hex')
        continue
      }
      await receive(head, content)
      if (head.type === 'file') {
        if (count.bytes !== (head.size ?? 0)) for await (const _ of content);
        all.update(sumLine(hash.digest('hex'), head.name))
      } else entry.resume()
      packed.members++
      packed.bytes += count.bytes
    }
  } catch (error) {
    source.destroy()
    throw error instanceof Error && /^(Invalid tar|Unexpected end)/.test(error.message) ? altered(error.message) : error
  }
  if (sums === null) throw altered('its end is missing')
  if (sums !== all.digest('hex')) throw altered('its members do not fit their sums')
  return packed
}

async function* watched(content: AsyncIterable<Buffer>, each: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    each(chunk)
    yield chunk
  }
}

const kinds: Partial<Record<string, MemberHead['type']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'directory',
  symlink: 'symlink',
}

function headOf({ name, type, mode, uid, gid, mtime, size, linkname }: Header): MemberHead {
  const kind = kinds[type ?? 'file']
  const plain = name.replace(/\/+$/, '')
  if (!kind) throw hostile(`the member ${JSON.stringify(plain)} is a ${type}`)
  requireSafe(plain)
  return {
    name: plain,
    type: kind,
    mode: (mode ?? 0o600) & 0o7777,
    uid: uid ?? 0,
    gid: gid ?? 0,
    ...(mtime && { mtime }),
    size: kind === 'file' ? (size ?? 0) : 0,
    ...(kind === 'symlink' && { linkname: linkname ?? '' }),
  }
}

/** Refuses a name that leads anywhere but below the folder that it is unpacked in. */
function requireSafe(name: string): void {
  const parts = name.split('/')
  if (name.includes('\0') || Buffer.byteLength(name) > 4096 || parts.some((it) => ['', '.', '..'].includes(it)))
    throw hostile(`the path ${JSON.stringify(name.slice(0, 200))} leads elsewhere`)
}

export const hostile = (what: string): BundleRefused =>
  new BundleRefused('bundle_hostile', `The bundle is not one that Muster makes: ${what}`)
