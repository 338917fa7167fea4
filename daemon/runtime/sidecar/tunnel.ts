import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { type Hello, readClientHello } from './client-hello.ts'

/** Idle timeout of a tunnel. */
export const idleMs = 15 * 60_000

/** Timeout for the first bytes in a new tunnel, and for a complete TLS hello. */
const firstBytesMs = 30_000

/** The fatal alert "unrecognized_name", which a TLS client shows to its user. */
const unrecognizedName = Buffer.from([21, 3, 3, 0, 2, 2, 112])

export interface TunnelOptions {
  /** Bytes that the client sent together with its request for the tunnel. */
  head: Buffer
  /** Called once with the client's first bytes, before any of them are forwarded. */
  admits(hello: Hello): boolean
  helloMs?: number
}

/**
 * Connects a client with the far end of its tunnel until both directions have ended, also half-closed. Bytes from the
 * far end are forwarded from the start, since in some protocols the server speaks first.
 */
export async function joinTunnel(
  client: Socket,
  far: Socket,
  { head, admits, helloMs = firstBytesMs }: TunnelOptions,
): Promise<void> {
  far.allowHalfOpen = true
  for (const [from, to] of [
    [client, far],
    [far, client],
  ] as const) {
    from.setTimeout(idleMs, () => from.destroy())
    from.on('error', () => from.destroy())
    from.on('close', () => to.destroy())
  }
  far.pipe(client)
  const first = await readHello(client, far, head, helloMs)
  if (!first || client.destroyed) return
  if (admits(first.hello)) {
    if (first.said.length) far.write(first.said)
    client.pipe(far)
  } else {
    far.unpipe(client)
    client.end(unrecognizedName, () => far.destroy())
  }
}

/** Reads until the client's first bytes can be classified. Null, with the client closed, when that takes too long. */
async function readHello(
  client: Socket,
  far: Socket,
  head: Buffer,
  helloMs: number,
): Promise<{ said: Buffer; hello: Hello } | null> {
  let said = head
  let hello = readClientHello(said)
  const late = () => (said.length || !far.bytesRead) && client.destroy()
  let timer = setTimeout(late, helloMs)
  try {
    if (hello === 'incomplete') {
      for await (const chunk of client.iterator({ destroyOnReturn: false })) {
        if (!said.length) {
          clearTimeout(timer)
          timer = setTimeout(late, helloMs)
        }
        said = Buffer.concat([said, chunk])
        hello = readClientHello(said)
        if (hello !== 'incomplete') break
      }
    }
    return { said, hello }
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
