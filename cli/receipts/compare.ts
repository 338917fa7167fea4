import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { InputError } from '../input.ts'
import type { Subject } from './claims.ts'

export interface Compared {
  name: string
  /** `elsewhere`: its folder is not the one that was compared. */
  status: 'same' | 'differs' | 'missing' | 'elsewhere'
}

/** Compares files of this machine, each given as NAME=PATH, with the subjects of these names. */
export async function compareFiles(subjects: readonly Subject[], given: readonly string[]): Promise<Compared[]> {
  const compared: Compared[] = []
  for (const pair of given) {
    // A name may hold the sign, too: the longest one is meant.
    const named = subjects.filter(({ name }) => pair.startsWith(`${name}=`))
    const subject = named.sort((a, b) => b.name.length - a.name.length)[0]
    if (!subject) throw new InputError(`--file ${pair} names nothing that the receipt speaks of.`, 'NAME=FILE')
    compared.push(await compareOne(subject, pair.slice(subject.name.length + 1)))
  }
  return compared
}

/** Compares every file of a receipt with the one of its name in a folder. */
export async function compareFolder(subjects: readonly Subject[], folder: string): Promise<Compared[]> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new InputError(`${folder} is no folder.`)
  const compared: Compared[] = []
  for (const subject of subjects.filter(({ kind }) => kind === 'file')) {
    const path = inside(folder, subject)
    compared.push(path === null ? { name: subject.name, status: 'elsewhere' } : await compareOne(subject, path))
  }
  return compared
}

/** The path of a file in the folder; null for one that would be outside. */
function inside(folder: string, { name, bytes }: Subject): string | Buffer | null {
  const parts = (bytes?.toString('latin1') ?? name).split('/')
  if (parts.includes('..') || parts.includes('')) return null
  const root = resolve(folder)
  return bytes ? Buffer.concat([Buffer.from(`${root}/`), bytes]) : `${root}/${name}`
}

async function compareOne({ name, sha256 }: Subject, path: string | Buffer): Promise<Compared> {
  const stats = pathExists(path) ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!stats?.isFile()) return { name, status: 'missing' }
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch (error) {
    throw new InputError(`${path} cannot be read: ${(error as Error).message}`)
  }
  return { name, status: hash.digest('hex') === sha256 ? 'same' : 'differs' }
}

/** No file has such a name, and Node refuses to look. */
const pathExists = (path: string | Buffer): boolean => !path.includes('\0')
