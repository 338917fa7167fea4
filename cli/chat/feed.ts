import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, locate, ProblemError } from '#client'
import { lines } from '#client/lines'
import type { RunFrame, StreamEnd, StreamFrame } from '#contract/frames'

export type FeedEvent =
  /** `late`: it happened before this client was there to see it. */
  | { type: 'frame'; frame: RunFrame; late: boolean }
  | { type: 'attached'; active: boolean; again: boolean }
  /** Frames are gone for good, and what was said stands in the stored messages only. `over`: so has the run. */
  | { type: 'gap'; over: boolean }
  | { type: 'lost'; error: Error }
  /** The server has no more to say; only when not following. */
  | { type: 'ended'; reason: StreamEnd }

export interface FeedOptions {
  /** Begin after this frame; 0 with what is held of the last run. */
  after?: number
  /** Stay for the runs to come. */
  follow?: boolean
  signal?: AbortSignal
  /** Longest time without a server before the feed gives up with the reason, in milliseconds. */
  patience?: number
}

const firstWaitMs = 200
const longestWaitMs = 3000
/** The server says something every 20 s at least. */
const stallMs = 50_000
/** Frames that come this soon after a stream opens had been waiting for it. */
const replayMs = 250

/**
 * What happens in a chat, each frame once and in order, over any number of connections: when one is lost, a restarting
 * daemon included, the next goes on where it ended. Throws when the server refuses, or is gone for longer than `patience`.
 */
export async function* feed(connection: Connection, chatId: string, options: FeedOptions = {}): AsyncGenerator<FeedEvent> {
  const { after = 0, follow = false, signal, patience = Number.POSITIVE_INFINITY } = options
  const place = { last: after, from: after, again: false }
  let wait = firstWaitMs
  let lostAt = 0
  while (!signal?.aborted) {
    try {
      let end: StreamEnd | undefined
      for await (const frame of open(connection, chatId, { from: place.from, follow, signal })) {
        lostAt = 0
        wait = firstWaitMs
        if (frame.type === 'stream.end') end = frame.reason
        else yield* read(frame, place)
      }
      if (end && isFinal(end, follow)) return yield { type: 'ended', reason: end }
      if (!end || end === 'stream_closed') throw new Error('The connection was lost')
      // What is still held of the run begins later than asked for: asking for everything brings it.
      if (end === 'replay_truncated') place.from = 0
    } catch (error) {
      if (signal?.aborted) return
      lostAt ||= Date.now()
      if (!passing(error) || Date.now() - lostAt > patience) throw error
      yield { type: 'lost', error: error as Error }
      await pause(waitFor(error, wait), undefined, { signal }).catch(() => undefined)
      wait = Math.min(2 * wait, longestWaitMs)
    }
  }
}

type Frame = (RunFrame & { late: boolean }) | StreamFrame

async function* open(connection: Connection, chatId: string, at: { from: number; follow: boolean; signal: AbortSignal | undefined }): AsyncGenerator<Frame> {
  const query = { last_seq: at.from, follow: at.follow, ...(at.follow && { idle: 3600 }) }
  const options = { stall: stallMs, ...(at.signal && { signal: at.signal }) }
  let openedAt = 0
  for await (const frame of lines<RunFrame | StreamFrame>(connection, locate('chats.stream', { chatId, query }), options)) {
    if (frame.type === 'stream.open') openedAt = performance.now()
    yield isRunFrame(frame) ? { ...frame, late: performance.now() - openedAt < replayMs } : frame
  }
}

function* read(frame: Frame, place: { last: number; from: number; again: boolean }): Generator<FeedEvent> {
  if (frame.type === 'stream.open') {
    yield { type: 'attached', active: frame.active, again: place.again }
    if (place.again && !frame.active && frame.from_seq > place.last + 1) yield { type: 'gap', over: true }
    place.again = true
  } else if (frame.type === 'stream.reset') {
    if (frame.reason === 'replay_truncated') yield { type: 'gap', over: false }
  } else if (isRunFrame(frame) && frame.seq > place.last) {
    const { late, ...it } = frame
    place.last = it.seq
    place.from = it.seq
    yield { type: 'frame', frame: it as RunFrame, late }
  }
}

const isRunFrame = <F extends RunFrame>(frame: F | StreamFrame): frame is F => !frame.type.startsWith('stream.')

/** Whether nothing more is to be expected; a stream that ended for another reason is opened again. */
const isFinal = (reason: StreamEnd, follow: boolean): boolean => !follow && (reason === 'run_complete' || reason === 'no_active_run')

/** Anything but a refusal may be over the next time. */
const passing = (error: unknown): boolean => !(error instanceof ProblemError) || error.problem.status >= 500 || error.problem.status === 429

const waitFor = (error: unknown, wait: number): number => (error instanceof ProblemError && error.retryAfter ? error.retryAfter * 1000 : wait)
