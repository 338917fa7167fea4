import { createHmac, timingSafeEqual } from 'node:crypto'
import { blockSize } from './combos.ts'

/** Head of a workspace's chain: number of entries, and seq and hash (hexadecimal) of the newest. */
export type Head = [workspace: string, entries: number, seq: number, hash: string]

/**
 * The state of the journal at one time: the newest seq, which is the total number of entries, and the heads that
 * changed since the previous seal. The MAC covers the previous MAC too, so that no seal can be changed, removed or
 * moved.
 */
export interface Seal {
  v: 1
  installation: string
  at: string
  seq: number
  heads: Head[]
  prev: string
  mac: string
}

export type SealFault = { kind: 'seal_missing' | 'forged'; reason: string }

const macOf = (key: Buffer, body: Omit<Seal, 'mac'>): string =>
  createHmac('sha256', key).update(JSON.stringify(body)).digest('hex')

export function makeSeal(key: Buffer, { installation, at, seq, heads, prev }: Omit<Seal, 'v' | 'mac'>): Seal {
  const body = { v: 1 as const, installation, at, seq, heads, prev }
  return { ...body, mac: macOf(key, body) }
}

/** Compares two texts in constant time. */
export const sameText = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

export interface ReadSeals {
  seals: Seal[]
  fault: SealFault | null
  /** Size of the complete lines in bytes: a crash can leave a partial line after them. */
  size: number
}

export const nothingSealed: ReadSeals = {
  seals: [],
  fault: { kind: 'seal_missing', reason: 'the seal file is missing or empty' },
  size: 0,
}

/** Parses and checks the seals of a file. Without a key only form and order are checked. */
export function readSeals(text: string, key: Buffer | null): ReadSeals {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const seals: Seal[] = []
  const size = Buffer.byteLength(whole)
  const fault = (reason: string): ReadSeals => ({ seals, fault: { kind: 'forged', reason }, size })
  for (const [index, line] of whole.split('\n').slice(0, -1).entries()) {
    const seal = parse(line)
    if (!seal) return fault(`line ${index + 1} of the seal file is no seal`)
    if (seal.prev !== (seals.at(-1)?.mac ?? ''))
      return fault(`the seal before the one of ${seal.at} is missing from the seal file`)
    if (key && !holds(seal, key)) return fault(`the seal of ${seal.at} was not made with the key of this installation`)
    seals.push(seal)
  }
  return seals.length ? { seals, fault: null, size } : nothingSealed
}

function parse(line: string): Seal | null {
  try {
    const seal = JSON.parse(line) as Seal
    const { v, installation, at, seq, heads, prev, mac } = seal
    const texts = [installation, at, prev, mac].every((it) => typeof it === 'string')
    return v === 1 && texts && Number.isSafeInteger(seq) && Array.isArray(heads) && heads.every(isHead) ? seal : null
  } catch {
    return null
  }
}

const isHead = (head: unknown): boolean =>
  Array.isArray(head) &&
  typeof head[0] === 'string' &&
  Number.isSafeInteger(head[1]) &&
  Number.isSafeInteger(head[2]) &&
  typeof head[3] === 'string'

function holds({ mac, ...seal }: Seal, key: Buffer): boolean {
  return sameText(mac, makeSeal(key, seal).mac)
}

/** The newest head of each workspace. */
export function headsOf(seals: readonly Seal[]): Map<string, Head> {
  return new Map(seals.flatMap(({ heads }) => heads.map((head) => [head[0], head] as const)))
}

/** Keeps the newest seals and merges older ones, one for each block of entries. */
export function fold(key: Buffer, seals: readonly Seal[], keep: number): Seal[] {
  const blocks: Seal[][] = []
  for (const [index, seal] of seals.entries()) {
    const block = blocks.at(-1)
    const blockOf = ({ seq }: Seal) => Math.floor((seq - 1) / blockSize)
    if (block && index < seals.length - keep && blockOf(block[0]!) === blockOf(seal)) block.push(seal)
    else blocks.push([seal])
  }
  const folded: Seal[] = []
  for (const block of blocks) {
    const { installation, at, seq } = block.at(-1)!
    folded.push(
      makeSeal(key, { installation, at, seq, heads: [...headsOf(block).values()], prev: folded.at(-1)?.mac ?? '' }),
    )
  }
  return folded
}
