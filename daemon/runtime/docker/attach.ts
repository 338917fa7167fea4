import { Buffer } from 'node:buffer'
import type { Duplex, Writable } from 'node:stream'
import { asking, type Container } from './engine.ts'

export interface Attachment {
  /** The container's standard input. */
  readonly input: Writable
  write(bytes: string | Buffer): void
  close(): void
}

export interface Attached {
  /** Valid until it returns. */
  stdout(chunk: Buffer): void
  stderr?(chunk: Buffer): void
  /** Called once, whatever the reason. */
  closed(reason: string): void
}

/** Attaches to a container's standard streams, without earlier output. */
export async function attach(container: Container, to: Attached): Promise<Attachment> {
  const stream = (await asking('attaching to a container', () =>
    container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true }),
  )) as unknown as Duplex
  let over = false
  const end = (reason: string) => {
    if (over) return
    over = true
    stream.destroy()
    to.closed(reason)
  }
  stream.on(
    'data',
    demultiplex((source, chunk) => (over ? undefined : source === 2 ? to.stderr?.(chunk) : to.stdout(chunk))),
  )
  stream.on('end', () => end('the container ended'))
  stream.on('close', () => end('the connection to the container closed'))
  stream.on('error', (error) => end(error.message))
  return {
    input: stream,
    write: (bytes) => void (over || stream.write(bytes)),
    close() {
      over = true
      stream.destroy()
    },
  }
}

/** Splits the engine's multiplexed stream (source, three zeros, length, bytes) without copying. */
export function demultiplex(each: (source: number, chunk: Buffer) => void): (chunk: Buffer) => void {
  const head = Buffer.alloc(8)
  let headBytes = 0
  let left = 0
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (left === 0) {
        const count = Math.min(8 - headBytes, chunk.length - at)
        chunk.copy(head, headBytes, at, at + count)
        headBytes += count
        at += count
        if (headBytes < 8) return
        headBytes = 0
        left = head.readUInt32BE(4)
        continue
      }
      const count = Math.min(left, chunk.length - at)
      each(head[0]!, chunk.subarray(at, at + count))
      left -= count
      at += count
    }
  }
}
