import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { connect } from 'node:tls'

const sized = (width: number, content: Buffer) => {
  const length = Buffer.alloc(width)
  length.writeUIntBE(content.length, 0, width)
  return Buffer.concat([length, content])
}

const u16 = (value: number) => Buffer.from([value >> 8, value & 255])

/** An extension of a hello. */
export const extension = (type: number, content: Buffer) => Buffer.concat([u16(type), sized(2, content)])

/** The extension that names the server; each name with its type, 0 for a host. */
export const serverNames = (...names: [type: number, name: string][]) =>
  extension(
    0,
    sized(
      2,
      Buffer.concat(
        names.map(([type, name]) => Buffer.concat([Buffer.from([type]), sized(2, Buffer.from(name, 'latin1'))])),
      ),
    ),
  )

/** A hello as the message that it is, outside of any record. Without `extensions` it has no such field. */
export function helloMessage(extensions?: Buffer[]): Buffer {
  const body = [
    u16(0x0303),
    Buffer.alloc(32, 7),
    sized(1, Buffer.alloc(32, 9)),
    sized(2, u16(0x1301)),
    sized(1, Buffer.from([0])),
  ]
  const content = Buffer.concat([...body, ...(extensions ? [sized(2, Buffer.concat(extensions))] : [])])
  return Buffer.concat([Buffer.from([1]), sized(3, content)])
}

/** A message in records of the given sizes, the last taking the rest. */
export function records(message: Buffer, sizes: number[] = [], type = 22): Buffer {
  const out: Buffer[] = []
  let at = 0
  for (const size of [...sizes, message.length]) {
    const fragment = message.subarray(at, at + size)
    at += size
    if (fragment.length) out.push(Buffer.concat([Buffer.from([type, 3, 1]), sized(2, fragment)]))
  }
  return Buffer.concat(out)
}

export const hello = (name: string) =>
  records(helloMessage([serverNames([0, name]), extension(43, Buffer.from([2, 3, 4]))]))

/** What Node's own TLS client says first. */
export async function realHello(servername: string): Promise<Buffer> {
  const wire = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      this.emit('said', chunk)
      done()
    },
  })
  const said = once(wire, 'said') as Promise<[Buffer]>
  const client = connect({ socket: wire, servername })
  client.on('error', () => {})
  const [bytes] = await said
  client.destroy()
  await once(client, 'close')
  return bytes
}
