import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, ProblemError } from '#client'
import type { LiveSocket } from '#client/socket'

export type News =
  /** Everything from now on is heard; `again`: after a time in which nothing was. */
  | { type: 'connected'; again: boolean }
  | { type: 'lost'; error: Error }
  | { type: 'event'; name: string; payload: Record<string, unknown> }

export interface NewsOptions {
  signal: AbortSignal
  /** Longest time without a server before it gives up with the reason, in milliseconds. */
  patience?: number
}

const firstWaitMs = 200
const longestWaitMs = 3000
/** The server says something every 30 s at least. */
const stallMs = 75_000
/** The token is no longer valid. */
const signedOut = 4401

/**
 * What is broadcast on a channel, over any number of connections. Throws when the server refuses. Ends by its signal
 * alone.
 */
export async function* news(
  connection: Connection,
  channel: string,
  { signal, patience = Number.POSITIVE_INFINITY }: NewsOptions,
): AsyncGenerator<News> {
  let again = false
  let lostAt = 0
  let wait = firstWaitMs
  while (!signal.aborted) {
    try {
      for await (const it of once(connection, channel, signal)) {
        lostAt = 0
        wait = firstWaitMs
        if (it.type === 'connected') yield { ...it, again }
        else yield it
        again = true
      }
    } catch (error) {
      if (signal.aborted) return
      lostAt ||= Date.now()
      if (!passing(error) || Date.now() - lostAt > patience) throw error
      yield { type: 'lost', error: error as Error }
      await pause(wait, undefined, { signal }).catch(() => undefined)
      wait = Math.min(2 * wait, longestWaitMs)
    }
  }
}

/** One connection; throws when it is lost. */
async function* once(connection: Connection, channel: string, signal: AbortSignal): AsyncGenerator<News> {
  const { openSocket } = await import('#client/socket')
  const socket = await openSocket(connection, { signal })
  const watchdog = stalls(socket)
  try {
    for await (const { type, channel: from, payload } of socket.frames) {
      watchdog.refresh()
      if (type === 'ready') {
        socket.send({ type: 'subscribe', channel })
        // Frames are answered in order: the answer to this one says that the channel is heard.
        socket.send({ type: 'ping' })
      } else if (type === 'pong') yield { type: 'connected', again: false }
      else if (from === channel && type !== 'error')
        yield { type: 'event', name: type, payload: (payload ?? {}) as Record<string, unknown> }
      else if (from === channel) throw new Refused(wordsOf(payload))
    }
  } finally {
    clearTimeout(watchdog)
    socket.close()
  }
  const { code, reason } = await socket.closed
  if (code === signedOut) throw new Refused(`The server signed this client out: ${reason}`)
  throw new Error('The connection was lost')
}

const stalls = (socket: LiveSocket): NodeJS.Timeout => setTimeout(() => socket.terminate(), stallMs).unref()

class Refused extends Error {}

const wordsOf = (payload: unknown): string =>
  String((payload as { message?: unknown } | null)?.message ?? 'The server refused to tell news')

/** Anything but a refusal may be over the next time. */
function passing(error: unknown): boolean {
  if (error instanceof Refused) return false
  return !(error instanceof ProblemError) || error.problem.status >= 500 || error.problem.status === 429
}
