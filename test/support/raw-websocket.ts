import { connect, type Socket } from 'node:net'
import { closing } from './index.ts'

const key = 'dGhlIHNhbXBsZSBub25jZQ=='

export const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const

/** A frame as a client sends it, masked with zeros. Payloads up to 64 KiB. */
export function clientFrame(opcode: number, payload: string | Buffer = '', { fin = true } = {}): Buffer {
  const bytes = Buffer.from(payload)
  const length = bytes.length < 126 ? [0x80 | bytes.length] : [0x80 | 126, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0]), bytes])
}

export interface RawWebSocket {
  socket: Socket
  /** Status of the answer to the upgrade, and its head. */
  status: number
  head: string
  /** Everything that came after the head. */
  received(): Buffer
  /** The server has ended the connection. */
  ended: Promise<unknown>
}

/** A WebSocket without manners: it answers no ping and no farewell, and ends nothing by itself. */
export async function rawWebSocket(
  base: string,
  { path = '/ws', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<RawWebSocket> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  closing({ close: () => socket.destroy() })
  socket.on('error', () => undefined)
  const ended = new Promise((resolve) => {
    for (const event of ['end', 'close']) socket.on(event, resolve)
  })
  const all = {
    host: hostname,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  let bytes = Buffer.alloc(0)
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.includes('\r\n\r\n')) resolve()
    })
  })
  const end = bytes.indexOf('\r\n\r\n') + 4
  const head = bytes.subarray(0, end).toString('latin1')
  return { socket, status: Number(head.slice(9, 12)), head, received: () => bytes.subarray(end), ended }
}

/** The server's frames in these bytes: opcode and text, for a close frame its code. */
export function serverFrames(bytes: Buffer): { opcode: number; text: string; code?: number }[] {
  const frames = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const opcode = bytes[at]! & 0x0f
    const short = bytes[at + 1]! & 0x7f
    const start = at + (short === 126 ? 4 : 2)
    const payload = bytes.subarray(start, start + (short === 126 ? bytes.readUInt16BE(at + 2) : short))
    frames.push(
      opcode === opcodes.close
        ? { opcode, text: String(payload.subarray(2)), code: payload.readUInt16BE(0) }
        : { opcode, text: String(payload) },
    )
    at = start + payload.length
  }
  return frames
}
