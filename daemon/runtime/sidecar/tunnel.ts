import { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { type Hello, readClientHello } from './client-hello.ts'

/** A connection on which nothing moves for so long is ended. */
export const idleMs = 15 * 60_000

/** How long both ends may say nothing after a tunnel was opened, and how long a TLS hello may take. */
const firstWordsMs = 30_000

/** The fatal alert "unrecognized_name", which a TLS client shows to its user. */
const unrecognizedName = Buffer.from([21, 3, 3, 0, 2, 2, 112])

export interface TunnelOptions {
  /** What the client sent together with its request for the tunnel. */
  head: Buffer
  /** Asked once, with what the client begins with, before a byte of it is passed on. */
  admits(hello: Hello): boolean
  patienceMs?: number
}

/**
 * Couples a client with the far end of its tunnel until both directions have ended; half-closed ones go on in the
 * other.
 * What the far end says is passed on from the start: in some protocols the server speaks first.
 */
export async function joinTunnel(
  client: Socket,
  far: Socket,
  { head, admits, patienceMs = firstWordsMs }: TunnelOptions,
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
  const first = await firstWords(client, far, head, patienceMs)
  if (!first || client.destroyed) return
  if (admits(first.hello)) {
    if (first.said.length) far.write(first.said)
    client.pipe(far)
  } else {
    far.unpipe(client)
    client.end(unrecognizedName, () => far.destroy())
  }
}

/** Reads until it is known what the client begins with. Null, and the client gone, when that takes too long. */
async function firstWords(
  client: Socket,
  far: Socket,
  head: Buffer,
  patienceMs: number,
): Promise<{ said: Buffer; hello: Hello } | null> {
  let said = head
  let hello = readClientHello(said)
  const late = () => (said.length || !far.bytesRead) && client.destroy()
  let timer = setTimeout(late, patienceMs)
  try {
    if (hello === 'incomplete') {
      for await (const chunk of client.iterator({ destroyOnReturn: false })) {
        if (!said.length) {
          clearTimeout(timer)
          timer = setTimeout(late, patienceMs)
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
