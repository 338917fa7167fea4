import { constants } from 'node:fs'
import { type FileHandle, lstat, open, opendir, readlink } from 'node:fs/promises'
import type { Member } from '#kernel/bundle/members'

/** Everything below a folder, itself included, as members of a payload. Sockets, pipes and devices are left out. */
export async function* treeOf(path: string, name: string): AsyncGenerator<Member> {
  const info = await lstat(path).catch(ifGone)
  if (!info) return
  const head = { name, mode: info.mode & 0o7777, uid: info.uid, gid: info.gid, mtime: info.mtime }
  if (info.isSymbolicLink()) {
    const linkname = await readlink(path).catch(ifGone)
    if (linkname) yield { ...head, type: 'symlink', linkname }
  } else if (info.isFile()) yield* fileOf(path, name)
  else if (info.isDirectory()) {
    yield { ...head, type: 'directory' }
    const folder = await opendir(path).catch(ifGone)
    if (folder) for await (const { name: inside } of folder) yield* treeOf(`${path}/${inside}`, `${name}/${inside}`)
  }
}

/** A file as a member; nothing when it is gone meanwhile. */
export async function* fileOf(path: string, name: string): AsyncGenerator<Member> {
  // A link that takes the file's place leads nowhere.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ifGone)
  if (!file) return
  try {
    const { size, mode, uid, gid, mtime } = await file.stat()
    yield { name, type: 'file', mode: mode & 0o7777, uid, gid, mtime, size, content: bytesOf(file, size) }
  } finally {
    await file.close()
  }
}

const chunkBytes = 256 * 1024

async function* bytesOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (!bytesRead) return
    at += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

/** Agents go on working: what they remove, replace or close meanwhile is left out. */
function ifGone(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(error.code ?? '')) return null
  throw error
}
