import { Buffer } from 'node:buffer'

/**
 * The first bytes of a connection: not TLS, too few to tell, a ClientHello with its server name (null without one), or
 * TLS that violates RFC 8446 or RFC 6066.
 */
export type Hello = 'not-tls' | 'incomplete' | 'malformed' | { serverName: string | null }

/** Most bytes that are read of a hello, including its record headers. */
export const helloLimit = 16 * 1024

const handshake = 22
const clientHello = 1
const serverName = 0
const hostName = 0
const fragmentLimit = 16 * 1024

class Malformed extends Error {}

export function readClientHello(bytes: Buffer): Hello {
  const [type = handshake, major = 3] = bytes
  if (type < 20 || type > 24 || major !== 3) return 'not-tls' // all record types
  try {
    const message = handshakeMessage(bytes)
    if (message) return { serverName: serverNameOf(message) }
    return bytes.length < helloLimit ? 'incomplete' : 'malformed'
  } catch (error) {
    if (error instanceof Malformed) return 'malformed'
    throw error
  }
}

/** The body of the hello, assembled from its records; null while it is incomplete. */
function handshakeMessage(bytes: Buffer): Buffer | null {
  const message = Buffer.alloc(bytes.length)
  let have = 0
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== handshake || (bytes[at + 1] ?? 3) !== 3) throw new Malformed()
    if (bytes.length < at + 5) return null
    const length = bytes.readUInt16BE(at + 3)
    if (length === 0 || length > fragmentLimit) throw new Malformed()
    if (bytes.length < at + 5 + length) return null
    bytes.copy(message, have, at + 5, at + 5 + length)
    have += length
    at += 5 + length
    if (message[0] !== clientHello) throw new Malformed()
    if (have < 4) continue
    const end = 4 + message.readUIntBE(1, 3)
    if (have > end) throw new Malformed() // nothing may follow the hello in its record
    if (have === end) return message.subarray(4, end)
  }
  return null
}

function serverNameOf(message: Buffer): string | null {
  const hello = reader(message)
  hello.take(2 + 32) // version, random
  if (hello.vector(1).left() > 32) throw new Malformed()
  const suites = hello.vector(2).left()
  if (suites < 2 || suites % 2 === 1 || hello.vector(1).left() < 1) throw new Malformed()
  if (hello.left() === 0) return null // before TLS 1.2 there need not be extensions
  const extensions = hello.vector(2)
  if (hello.left()) throw new Malformed()
  let found: string | null = null
  while (extensions.left()) {
    const type = extensions.number(2)
    const content = extensions.vector(2)
    if (type !== serverName) continue
    if (found !== null) throw new Malformed()
    found = onlyName(content)
  }
  return found
}

function onlyName(content: Reader): string {
  const list = content.vector(2)
  if (content.left() || list.number(1) !== hostName) throw new Malformed()
  const name = list.vector(2)
  const text = name.take(name.left()).toString('latin1')
  if (list.left() || !/^[!-~]{1,255}$/.test(text)) throw new Malformed()
  return text
}

interface Reader {
  left(): number
  take(length: number): Buffer
  number(width: number): number
  /** Reads a length of `width` bytes and that many bytes after it. */
  vector(width: number): Reader
}

/** Reads bytes in sequence; throws at the end. */
function reader(bytes: Buffer): Reader {
  let at = 0
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Malformed()
    at += length
    return bytes.subarray(at - length, at)
  }
  const number = (width: number) => take(width).readUIntBE(0, width)
  return { left: () => bytes.length - at, take, number, vector: (width) => reader(take(number(width))) }
}
