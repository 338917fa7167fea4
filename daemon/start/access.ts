import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { receiptKeyFile } from '#kernel/signer'
import { keyFile } from './key.ts'

/** The data folder is another user's, or closed to this one. */
export class AccessRefused extends Error {
  readonly next: string
  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}

const files = ['', 'muster.db', keyFile, receiptKeyFile]

/** What nobody but its owner may read. */
const secret = new Set([receiptKeyFile])

/** Refuses the folder of another user before anything is made there: files made now could lock its daemon out. */
export function requireOwnFolder(dir: string): void {
  const uid = process.geteuid!()
  for (const name of files) {
    const path = join(dir, name)
    const stat = statOf(path, dir)
    if (stat && stat.uid !== uid)
      throw new AccessRefused(
        `${path} belongs to the user with the id ${stat.uid}, and this is ${uid}`,
        `sudo -u '#${stat.uid}' env SVC_DATA_DIR=${quoted(dir)} musterd; or name another folder in SVC_DATA_DIR`,
      )
    if (stat?.isFile()) requireOpen(path)
    if (stat && secret.has(name) && (stat.mode & 0o077) !== 0)
      throw new AccessRefused(
        `Others than its owner may use ${path}, with which receipts are signed`,
        `chmod 600 ${quoted(path)}; if somebody may have read it, move it away and a new key is made`,
      )
  }
}

/** A disk that takes no writes is told as such by its own error. */
function requireOpen(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    throw new AccessRefused(`This user may not read and write ${path}`, `chmod u+rw ${quoted(path)}`)
  }
}

function statOf(path: string, dir: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') throw new AccessRefused(`${dir} is no folder`, 'name another folder in SVC_DATA_DIR')
    throw new AccessRefused(
      `This user may not look into ${dir} (${message})`,
      'start it as the user whose data it is, or name another folder in SVC_DATA_DIR',
    )
  }
}

/** The text as one word of a shell. */
export const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
