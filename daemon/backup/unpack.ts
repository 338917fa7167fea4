import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hostile, type MemberHead } from '#kernel/bundle/members'

/** What a data folder gets from a bundle. */
const wanted = /^(muster\.db|journal\.seal|encryption\.key|receipts\.key|attachments(\/.+)?|crews\/.+)$/

/**
 * Puts members into a folder that nobody else uses. Links are made at the end, so that nothing is ever written through
 * one, and rights of folders last, so that they keep nothing out.
 */
export function unpackInto(root: string) {
  const links: { path: string; to: string }[] = []
  const modes: { path: string; mode: number }[] = []

  return {
    async put(name: string, head: MemberHead, content: AsyncIterable<Buffer>): Promise<void> {
      const crews = name.startsWith('crews/')
      if (!wanted.test(name) || (head.type === 'symlink' && !crews)) throw hostile(`it has ${name}`)
      const path = join(root, name)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      if (head.type === 'symlink') links.push({ path, to: head.linkname! })
      else if (head.type === 'directory') {
        await mkdir(path, { recursive: true, mode: 0o700 })
        if (!(await lstat(path)).isDirectory()) throw hostile(`${name} is there twice`)
        if (crews) modes.push({ path, mode: head.mode & 0o777 })
      } else await writeNew(path, name, crews ? head.mode & 0o777 : 0o600, content)
    },
    /** To be called when everything was put. */
    async finish(): Promise<void> {
      for (const { path, to } of links) await symlink(to, path).catch((error) => refuseTwice(error, path))
      for (const { path, mode } of modes.reverse()) await chmod(path, mode)
    },
  }
}

async function writeNew(path: string, name: string, mode: number, content: AsyncIterable<Buffer>): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = await open(path, flags, 0o600).catch((error) => refuseTwice(error, name))
  try {
    for await (const chunk of content) await file.writeFile(chunk)
    if (mode !== 0o600) await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

function refuseTwice(error: NodeJS.ErrnoException, name: string): never {
  if (['EEXIST', 'EISDIR', 'ENOTDIR', 'ELOOP'].includes(error.code ?? '')) throw hostile(`${name} is there twice`)
  throw error
}
