import { createHash } from 'node:crypto'
import { type FileHandle, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Manifest, type ManifestCore, parseManifest } from './manifest.ts'
import { altered, BundleRefused, truncated } from './refusal.ts'
import { endBytes, headerOf, paddingOf, readHeader } from './tar-header.ts'

// A bundle is a tar archive of three files: a manifest that anybody may read, the payload, and the sums of both. Every
// byte of it follows from these, so that a change of any bit is noticed.

const manifestName = 'MANIFEST.json'
const sumsName = 'SHA256SUMS'
const payloadName = (encrypted: boolean): string => (encrypted ? 'payload.tar.zst.age' : 'payload.tar.zst')

const blockBytes = 512
/** Larger manifests are none. */
const mostManifestBytes = 16 * 1024 * 1024
const readBytes = 1024 * 1024

interface Bundle {
  manifest: Manifest
  bytes: number
}

/** Where a bundle is written until it is whole. */
export const partialOf = (path: string): string => `${path}.partial`

/**
 * Writes a bundle, 0600. It appears under its name once it is whole and on the disk; nothing remains of one that
 * fails, and none that is there already is replaced.
 */
export async function writeBundle(
  path: string,
  core: ManifestCore,
  payload: AsyncIterable<Uint8Array>,
  wrote: (bytes: number) => void = () => undefined,
): Promise<Bundle> {
  const temporary = partialOf(path)
  const file = await open(temporary, 'wx', 0o600)
  try {
    const written = await fill(file, core, payload, wrote)
    await file.sync()
    await file.close()
    await link(temporary, path)
    await rm(temporary)
    await syncFolder(dirname(path))
    return written
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(temporary, { force: true })
    throw error
  }
}

async function fill(
  file: FileHandle,
  core: ManifestCore,
  payload: AsyncIterable<Uint8Array>,
  wrote: (bytes: number) => void,
): Promise<Bundle> {
  const mtime = Math.floor(Date.parse(core.created_at) / 1000)
  const named = payloadName(core.encryption.enabled)
  const room = manifestText(core, '0'.repeat(64)).length
  const start = 2 * blockBytes + room + paddingOf(room)
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of payload) {
    hash.update(chunk)
    await writeAll(file, chunk, start + size)
    size += chunk.length
    wrote(size)
  }
  const payload_sha256 = hash.digest('hex')
  const text = manifestText(core, payload_sha256)
  const sums = Buffer.from(sumsText(text, payload_sha256, named))
  const parts = [
    Buffer.alloc(paddingOf(size)),
    headerOf(sumsName, sums.length, mtime),
    sums,
    Buffer.alloc(paddingOf(sums.length) + endBytes),
  ]
  const tail = Buffer.concat(parts)
  await writeAll(file, tail, start + size)
  const head = [
    headerOf(manifestName, text.length, mtime),
    text,
    Buffer.alloc(paddingOf(text.length)),
    headerOf(named, size, mtime),
  ]
  await writeAll(file, Buffer.concat(head), 0)
  return { manifest: { ...core, checksums: { payload_sha256 } }, bytes: start + size + tail.length }
}

const manifestText = (core: ManifestCore, payload_sha256: string): Buffer =>
  Buffer.from(`${JSON.stringify({ ...core, checksums: { payload_sha256 } }, null, 2)}\n`)

const sumsText = (manifest: Buffer, payload: string, named: string): string =>
  `${createHash('sha256').update(manifest).digest('hex')}  ${manifestName}\n${payload}  ${named}\n`

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

interface Layout {
  manifest: Manifest
  manifestBytes: Buffer
  payload: { start: number; size: number; name: string }
  mtime: number
}

/** What a bundle says it is; reads no further than it must. */
export async function readManifest(path: string): Promise<Manifest> {
  return reading(path, async (file) => (await layoutOf(file)).manifest)
}

async function reading<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r')
  try {
    if (!(await file.stat()).isFile()) throw new BundleRefused('bundle_foreign', `${path} is no file`)
    return await work(file)
  } finally {
    await file.close()
  }
}

async function layoutOf(file: FileHandle): Promise<Layout> {
  const { size: whole } = await file.stat()
  const first = await readBlock(file, 0)
  const header = first && readHeader(first)
  if (header?.name !== manifestName || header.size > mostManifestBytes) throw await notOurs(file, first)
  const manifestBytes = await readExactly(file, blockBytes, header.size)
  const manifest = parseManifest(manifestBytes.toString('utf8'))
  await requireZeros(file, blockBytes + header.size, paddingOf(header.size))
  const start = 2 * blockBytes + header.size + paddingOf(header.size)
  const second = await readBlock(file, start - blockBytes)
  if (!second) throw truncated()
  const about = readHeader(second)
  const name = payloadName(manifest.encryption.enabled)
  if (about?.name !== name || about.mtime !== header.mtime) throw altered('the header of its payload')
  if (start + about.size > whole) throw truncated()
  return { manifest, manifestBytes, payload: { start, size: about.size, name }, mtime: header.mtime }
}

/** Tells a damaged first block from another kind of file. */
async function notOurs(file: FileHandle, first: Buffer | null): Promise<BundleRefused> {
  const { size } = await file.stat()
  if (first?.toString('latin1', 0, 5) === manifestName.slice(0, 5)) return altered('its first header')
  return size === 0 || !first ? truncated() : new BundleRefused('bundle_foreign', 'The file is not a bundle of Muster')
}

async function readBlock(file: FileHandle, at: number): Promise<Buffer | null> {
  const block = Buffer.alloc(blockBytes)
  const { bytesRead } = await file.read(block, 0, blockBytes, at)
  return bytesRead === blockBytes ? block : null
}

async function readExactly(file: FileHandle, at: number, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  for (let done = 0; done < size; ) {
    const { bytesRead } = await file.read(bytes, done, size - done, at + done)
    if (!bytesRead) throw truncated()
    done += bytesRead
  }
  return bytes
}

async function requireZeros(file: FileHandle, at: number, size: number): Promise<void> {
  const bytes = await readExactly(file, at, size)
  if (bytes.some((byte) => byte !== 0)) throw altered('bytes between its parts')
}

/** The bytes of the payload as they are stored. */
async function* payloadOf(file: FileHandle, { payload: { start, size } }: Layout): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const bytes = Buffer.alloc(Math.min(readBytes, size - at))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start + at)
    if (!bytesRead) throw truncated()
    at += bytesRead
    yield bytes.subarray(0, bytesRead)
  }
}

/** Checks every byte of a bundle against its sums, which takes no secret. */
export async function verifyWhole(path: string, read: (bytes: number) => void = () => undefined): Promise<Manifest> {
  return reading(path, async (file) => {
    const layout = await layoutOf(file)
    const hash = createHash('sha256')
    let done = 0
    for await (const chunk of payloadOf(file, layout)) {
      hash.update(chunk)
      done += chunk.length
      read(done)
    }
    await requireSums(file, layout, hash.digest('hex'))
    return layout.manifest
  })
}

async function requireSums(file: FileHandle, layout: Layout, found: string): Promise<void> {
  const { manifest, manifestBytes, payload, mtime } = layout
  const end = payload.start + payload.size
  await requireZeros(file, end, paddingOf(payload.size))
  const at = end + paddingOf(payload.size)
  const text = Buffer.from(sumsText(manifestBytes, found, payload.name))
  const tail = await readExactly(file, at, blockBytes + text.length + paddingOf(text.length) + endBytes)
  if (found !== manifest.checksums.payload_sha256) throw altered('its payload is not what the manifest says')
  const expected = [headerOf(sumsName, text.length, mtime), text, Buffer.alloc(paddingOf(text.length) + endBytes)]
  if (!tail.equals(Buffer.concat(expected))) throw altered('its sums do not fit')
  if ((await file.stat()).size !== at + tail.length) throw altered('something follows its end')
}

/** Hands over the payload of a bundle, whose sums are not checked here. */
export async function withPayload<T>(
  path: string,
  work: (manifest: Manifest, payload: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  return reading(path, async (file) => {
    const layout = await layoutOf(file)
    return work(layout.manifest, payloadOf(file, layout))
  })
}
