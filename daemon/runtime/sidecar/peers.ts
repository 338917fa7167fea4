import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'
import { parseAddress } from '../../kernel/outbound/addresses.ts'

/**
 * The uid of the peer of a loopback connection, from the kernel's table, which agents cannot forge as they could a
 * header. Null when the peer is gone.
 */
export async function uidOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): Promise<number | null> {
  if (!remoteAddress || !localAddress) return null
  const table = await (remoteAddress.includes(':') ? owners6 : owners4)()
  return table.get(`${hex(remoteAddress)}:${port(remotePort!)} ${hex(localAddress)}:${port(localPort!)}`) ?? null
}

const owners4 = shared(() => owners('/proc/self/net/tcp'))
const owners6 = shared(() => owners('/proc/self/net/tcp6'))

/** The uid of each socket, by its two addresses in the format of the table. */
async function owners(file: string): Promise<Map<string, number>> {
  const rows = (await readFile(file, 'utf8').catch(() => '')).split('\n').map((line) => line.trim().split(/\s+/))
  return new Map(
    rows.filter((row) => row[3] !== '06').map(([, local, remote, , , , , uid]) => [`${local} ${remote}`, Number(uid)]),
  )
}

/**
 * Shares one read among all callers that wait for it to begin: the kernel takes long for this table, and one read for
 * each of a few hundred connections would delay all calls.
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

/** An address in the format of /proc/net/tcp: words of four bytes in host byte order. */
function hex(address: string): string {
  const { family, bits } = parseAddress(address)!
  const digits = bits
    .toString(16)
    .padStart(family === 4 ? 8 : 32, '0')
    .toUpperCase()
  const words = digits.match(/.{8}/g)!
  return words.map((word) => (endianness() === 'LE' ? word.match(/../g)!.reverse().join('') : word)).join('')
}
