import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'
import { parseAddress } from '../../kernel/addresses.ts'

/**
 * The uid that owns the other end of a loopback connection, from the kernel's own table: an agent cannot forge it, as it
 * could a header. Null when the other end is gone already.
 */
export async function uidOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): Promise<number | null> {
  if (!remoteAddress || !localAddress) return null
  const client = `${hex(remoteAddress)}:${port(remotePort!)}`
  const server = `${hex(localAddress)}:${port(localPort!)}`
  const table = await readFile(remoteAddress.includes(':') ? '/proc/self/net/tcp6' : '/proc/self/net/tcp', 'utf8').catch(() => '')
  for (const line of table.split('\n')) {
    const [, local, remote, state, , , , uid] = line.trim().split(/\s+/)
    if (local === client && remote === server && state !== '06') return Number(uid)
  }
  return null
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
