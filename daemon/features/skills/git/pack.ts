import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { inflateSync } from 'node:zlib'
import { BadRepository } from './packets.ts'

export interface GitObject {
  type: 'commit' | 'tree' | 'blob' | 'tag'
  data: Buffer
}

/** Bounds of what a pack is unpacked to. */
const mostObjects = 200_000
const mostObjectBytes = 16 * 1024 * 1024
const mostBytes = 128 * 1024 * 1024
/** Milliseconds after which others have their turn. */
const patience = 10

const types: Readonly<Record<number, GitObject['type']>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const [offsetDelta, idDelta] = [6, 7]

const broken = () => new BadRepository('What it sent is broken')

/** The objects of a pack by their ids. Sizes are looked at before anything is unpacked to them. */
export async function unpack(pack: Buffer): Promise<Map<string, GitObject>> {
  if (pack.length < 32 || pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2) throw broken()
  const count = pack.readUInt32BE(8)
  if (count > mostObjects) throw new BadRepository(`It sent more than ${mostObjects} objects`)
  const byId = new Map<string, GitObject>()
  const byOffset = new Map<number, GitObject>()
  const budget = { left: mostBytes }
  let at = 12
  let since = performance.now()
  for (let n = 0; n < count; n++) {
    const start = at
    const entry = headOf(pack, at)
    const { data, end } = inflated(pack, entry, budget)
    at = end
    const object = entry.base(byOffset, byId, data, budget)
    byOffset.set(start, object)
    byId.set(idOf(object), object)
    if (performance.now() - since > patience) {
      await turn()
      since = performance.now()
    }
  }
  return byId
}

interface Budget {
  left: number
}

/** Takes room for an object, before there is one. */
function reserve(budget: Budget, size: number): void {
  if (size > mostObjectBytes)
    throw new BadRepository(`It holds a file of more than ${mostObjectBytes / 1024 / 1024} MiB`)
  budget.left -= size
  if (budget.left < 0) throw new BadRepository(`It unpacks to more than ${mostBytes / 1024 / 1024} MiB`)
}

interface Entry {
  size: number
  /** Where its bytes begin. */
  from: number
  /** The object of these bytes: they themselves, or what they make of another. */
  base(
    byOffset: ReadonlyMap<number, GitObject>,
    byId: ReadonlyMap<string, GitObject>,
    data: Buffer,
    budget: Budget,
  ): GitObject
}

function headOf(pack: Buffer, start: number): Entry {
  let at = start
  const next = () => pack[at++] ?? fail()
  let byte = next()
  const kind = (byte >> 4) & 7
  let size = byte & 15
  for (let shift = 4; byte & 0x80; shift += 7) {
    byte = next()
    size += (byte & 0x7f) * 2 ** shift
    if (shift > 40) fail()
  }
  const type = types[kind]
  if (type) return { size, from: at, base: (_, __, data) => ({ type, data }) }
  if (kind === offsetDelta) {
    byte = next()
    let back = byte & 0x7f
    while (byte & 0x80) {
      byte = next()
      back = (back + 1) * 128 + (byte & 0x7f)
      if (back > pack.length) fail()
    }
    return {
      size,
      from: at,
      base: (byOffset, _, data, budget) => patched(byOffset.get(start - back), data, budget),
    }
  }
  if (kind !== idDelta) fail()
  const id = pack.toString('hex', at, at + 20)
  return { size, from: at + 20, base: (_, byId, data, budget) => patched(byId.get(id), data, budget) }
}

function fail(): never {
  throw broken()
}

function inflated(pack: Buffer, { size, from }: Entry, budget: Budget): { data: Buffer; end: number } {
  reserve(budget, size)
  try {
    // One byte more than it says: it would be found to be longer.
    const made = inflateSync(pack.subarray(from), { maxOutputLength: size + 1, info: true }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    if (made.buffer.length !== size) throw broken()
    return { data: made.buffer, end: from + made.engine.bytesWritten }
  } catch {
    throw broken()
  }
}

/** What a delta makes of its base. */
function patched(base: GitObject | undefined, delta: Buffer, budget: Budget): GitObject {
  if (!base) throw broken()
  let at = 0
  const next = () => delta[at++] ?? fail()
  const number = () => {
    let value = 0
    for (let shift = 0; shift < 42; shift += 7) {
      const byte = next()
      value += (byte & 0x7f) * 2 ** shift
      if (!(byte & 0x80)) return value
    }
    return fail()
  }
  if (number() !== base.data.length) fail()
  const size = number()
  reserve(budget, size)
  const data = Buffer.alloc(size)
  let to = 0
  while (at < delta.length) {
    const order = next()
    if (order === 0) fail()
    const copies = (order & 0x80) !== 0
    const piece = copies ? copied(order, base.data, next) : delta.subarray(at, at + order)
    if (!copies) at += order
    if (to + piece.length > size) fail()
    to += piece.copy(data, to)
  }
  if (to !== size) fail()
  return { type: base.type, data }
}

/** A piece of the base, whose place and length stand behind the order. */
function copied(order: number, base: Buffer, next: () => number): Buffer {
  let [from, length] = [0, 0]
  for (let n = 0; n < 4; n++) if (order & (1 << n)) from += next() * 2 ** (8 * n)
  for (let n = 0; n < 3; n++) if (order & (0x10 << n)) length += next() * 2 ** (8 * n)
  length ||= 0x10000
  if (from + length > base.length) fail()
  return base.subarray(from, from + length)
}

const idOf = ({ type, data }: GitObject): string =>
  createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex')
