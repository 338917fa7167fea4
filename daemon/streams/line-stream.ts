import type { FastifyReply } from 'fastify'
import type { StreamEnd, StreamFrame } from '#contract/frames'
import type { App } from '#kernel/app'
import { LineWriter } from './line-writer.ts'

const heartbeatMs = 20_000
const recheckMs = 30_000

/** An NDJSON answer that lasts until either side ends it. */
export interface LineStream {
  /** False when the client reads too slowly: the line is dropped and the stream should end. */
  write(line: string): boolean
  end(lines: object[]): void
  readonly over: boolean
}

/** Opens an NDJSON answer, with regular keep-alive lines. It ends once the client may no longer watch. */
export function openLines(
  app: App,
  { reply, allowed }: { reply: FastifyReply; allowed(): boolean },
  finish: (reason: StreamEnd) => void,
  cleanUp: () => void,
): LineStream {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  const lines = new LineWriter(reply.raw)
  let over = false
  const stop = () => finish('stream_closed')
  const recheck = () => {
    if (!allowed()) finish('access_revoked')
  }
  const heartbeat = () => lines.write(JSON.stringify({ type: 'stream.heartbeat' } satisfies StreamFrame))
  const clocks = [setInterval(heartbeat, heartbeatMs), setInterval(recheck, recheckMs)]
  app.metrics.openStreams.inc({ kind: 'ndjson' })
  app.bus.on('revoked', recheck)
  app.bus.on('access_lost', recheck)
  app.stopping.signal.addEventListener('abort', stop)
  reply.raw.on('close', leave)

  function leave(): void {
    if (over) return
    over = true
    for (const clock of clocks) clearInterval(clock)
    app.bus.off('revoked', recheck)
    app.bus.off('access_lost', recheck)
    app.stopping.signal.removeEventListener('abort', stop)
    app.metrics.openStreams.dec({ kind: 'ndjson' })
    cleanUp()
  }

  return {
    write: (line) => lines.write(line),
    end(last) {
      if (over) return
      leave()
      lines.end(last)
    },
    get over() {
      return over
    },
  }
}
