import { Buffer } from 'node:buffer'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/**
 * What a name server knows: addresses (IPv6 as 32 hexadecimal digits), or the code of a failure. Read anew at every
 * question.
 */
export type Zone = Record<string, { a?: string; aaaa?: string; code?: number }>

/** A name server on a free UDP port; `asked` are the names of all questions so far. */
export async function openNameServer(
  host: string,
  zone: Zone,
): Promise<{ port: number; asked: string[]; close(): void }> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(reply(query, zone, asked), port, address))
  socket.bind(0, host)
  await once(socket, 'listening')
  return { port: socket.address().port, asked, close: () => socket.close() }
}

function reply(query: Buffer, zone: Zone, asked: string[]): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const question = query.subarray(12, at + 5)
  const name = labels.join('.').toLowerCase()
  asked.push(name)
  const known = zone[name]
  const four = query.readUInt16BE(at + 1) === 1
  const value = four ? known?.a : known?.aaaa
  const data =
    value && Buffer.from(four ? value.split('.').map(Number) : value.match(/../g)!.map((it) => Number.parseInt(it, 16)))
  const answer = data
    ? Buffer.concat([Buffer.from([0xc0, 12, 0, four ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length]), data])
    : Buffer.alloc(0)
  const head = Buffer.from([
    query[0]!,
    query[1]!,
    0x81,
    0x80 | (known ? (known.code ?? 0) : 3),
    0,
    1,
    0,
    data ? 1 : 0,
    0,
    0,
    0,
    0,
  ])
  return Buffer.concat([head, question, answer])
}
