import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'
import { parseAddress } from '../../kernel/outbound/addresses.ts'

/**
 * The uid that owns the other end of a loopback connection, from the kernel's own table: an agent cannot forge it, as
 * it
 * could a header. Null when the other end is gone already.
 */
export async function uidOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): Promise<number | null> {
  if (!remoteAddress || !localAddress) return null
  const table = await (remoteAddress.includes(':') ? owners6 : owners4)()
  return table.get(`${hex(remoteAddress)}:${port(remotePort!)} ${hex(localAddress)}:${port(localPort!)}`) ?? null
}

const owners4 = shared(() => owners('/proc/self/net/tcp'))
const owners6 = shared(() => owners('/proc/self/net/tcp6'))

/** The uid of each connection's own end, by both addresses as the table writes them. */
async function owners(file: string): Promise<Map<string, number>> {
  const rows = (await readFile(file, 'utf8').catch(() => '')).split('\n').map((line) => line.trim().split(/\s+/))
  return new Map(
    rows.filter((row) => row[3] !== '06').map(([, local, remote, , , , , uid]) => [`${local} ${remote}`, Number(uid)]),
  )
}

/**
 * One reading for all who ask before it begins: the kernel takes long over this table, and with a reading for each of
 * them a
 * few hundred connections at once would hold up everybody's calls.
 */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  return () => {
    if (next) return next
    const started = running.then(() => {
      next = null
      return read()
    })
    next = started
    running = started
    return started
  }
}

const port = (value: number) => value.toString(16).toUpperCase().padStart(4, '0')

/** An address as that table writes it: words of four bytes, each in the machine's own order. */
function hex(address: string): string {
  const { family, bits } = parseAddress(address)!
  const digits = bits
    .toString(16)
    .padStart(family === 4 ? 8 : 32, '0')
    .toUpperCase()
  const words = digits.match(/.{8}/g)!
  return words.map((word) => (endianness() === 'LE' ? word.match(/../g)!.reverse().join('') : word)).join('')
}
