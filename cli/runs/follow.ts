import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, ProblemError } from '#client'
import { lines } from '#client/lines'
import type { LogFrame } from '#contract/frames'
import { Reading } from './reading.ts'

/** How long the server may be away, in milliseconds. */
const patience = 120_000
const tryAgainMs = 500

/**
 * The log of a run, each frame once, over any number of connections: whoever follows it stays while the daemon is
 * restarted. `onState` is called when the connection is lost (with the reason) and when it is back (without). What
 * `reading` has read before is left out.
 */
export async function* readLog(
  connection: Connection,
  asked: { method: string; path: string },
  onState: (lost?: Error) => void,
  reading = new Reading(),
): AsyncGenerator<LogFrame> {
  let connected = false
  let lostAt = 0
  for (;;) {
    try {
      reading.again()
      for await (const frame of lines<LogFrame>(connection, asked)) {
        if (frame.type === 'stream.end' && frame.reason === 'stream_closed') break
        if (frame.type === 'stream.open' && lostAt) onState()
        if (frame.type === 'stream.open') lostAt = 0
        const unread = frame.type === 'stream.open' && connected ? null : reading.unread(frame)
        connected ||= frame.type === 'stream.open'
        if (unread) yield unread
        if (frame.type === 'stream.end') return
      }
      throw new Error('the server closed the connection')
    } catch (error) {
      if (!connected || !passes(error) || (lostAt && Date.now() - lostAt > patience)) throw error
      if (!lostAt) onState(error as Error)
      lostAt ||= Date.now()
      await pause(tryAgainMs)
    }
  }
}

/** Whether another attempt may succeed. */
const passes = (error: unknown): boolean =>
  error instanceof ProblemError ? error.problem.status === 503 : !(error instanceof SyntaxError)
