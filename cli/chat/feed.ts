import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, locate, ProblemError } from '#client'
import { lines } from '#client/lines'
import type { Delegated, Delivery, RunFrame, StreamEnd, StreamFrame } from '#contract/frames'

export type FeedEvent =
  /** `late`: it happened before this client was there to see it. */
  | { type: 'frame'; frame: RunFrame; late: boolean }
  | { type: 'attached'; active: boolean; again: boolean }
  /** Frames are lost; only the stored messages hold the text. `over`: the run has ended, too. */
  | { type: 'gap'; over: boolean }
  | { type: 'delegated'; work: Delegated }
  | { type: 'steering'; id: string; delivery: Delivery }
  | { type: 'collision'; summary: string }
  | { type: 'lost'; error: Error }

export interface FeedOptions {
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
 * What happens in a chat from now on, and in the run that goes on if one does: each frame once and in order, over any
 * number of connections: when one is lost, a restarting daemon included, the next goes on where it ended. Throws when
 * the server refuses, or is gone for longer than `patience`. Ends by its signal alone.
 */
export async function* feed(
  connection: Connection,
  chatId: string,
  options: FeedOptions = {},
): AsyncGenerator<FeedEvent> {
  const { signal, patience = Number.POSITIVE_INFINITY } = options
  const place: Place = { last: 0, from: 0, expected: 0, again: false, caughtUp: true }
  let wait = firstWaitMs
  let lostAt = 0
  while (!signal?.aborted) {
    try {
      let end: StreamEnd | undefined
      for await (const frame of open(connection, chatId, place, signal)) {
        lostAt = 0
        wait = firstWaitMs
        if (frame.type === 'stream.end') end = frame.reason
        else yield* read(frame, place)
      }
      if (!end || end === 'stream_closed') throw new Error('The connection was lost')
      if (end === 'run_complete' || end === 'no_active_run') yield* catchUp(place)
      // What is still held of the run begins later than asked for: asking for everything brings it.
      if (end === 'replay_truncated') place.from = 0
    } catch (error) {
      if (signal?.aborted) return
      const now = Date.now()
      lostAt ||= now
      if (!passing(error) || now - lostAt > patience) throw error
      place.caughtUp = false
      yield { type: 'lost', error: error as Error }
      await pause(waitFor(error, wait), undefined, { signal }).catch(() => undefined)
      wait = Math.min(2 * wait, longestWaitMs)
    }
  }
}

interface Place {
  /** Newest frame that was handed on. */
  last: number
  /** What to ask for next. */
  from: number
  /** Newest frame that there is, when no run goes on. */
  expected: number
  again: boolean
  /** After a loss only what there is already is asked for, whose end tells whether something is missing. */
  caughtUp: boolean
}

type Frame = (RunFrame & { late: boolean }) | StreamFrame

async function* open(
  connection: Connection,
  chatId: string,
  { from, caughtUp }: Place,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame> {
  const query = { last_seq: from, ...(caughtUp && { follow: true, idle: 3600 }) }
  const options = { stall: stallMs, ...(signal && { signal }) }
  let replayedUntil = 0
  for await (const frame of lines<RunFrame | StreamFrame>(
    connection,
    locate('chats.stream', { chatId, query }),
    options,
  )) {
    // Without a run in progress the server holds no frames.
    if (frame.type === 'stream.open') replayedUntil = frame.active || !caughtUp ? performance.now() + replayMs : 0
    yield isRunFrame(frame) ? { ...frame, late: performance.now() < replayedUntil } : frame
  }
}

function* read(frame: Frame, place: Place): Generator<FeedEvent> {
  if (frame.type === 'stream.open') {
    place.expected = frame.active ? 0 : frame.from_seq - 1
    if (!place.again) advance(place, place.expected)
    yield { type: 'attached', active: frame.active, again: place.again }
    place.again = true
  } else if (frame.type === 'stream.reset') {
    if (frame.reason === 'replay_truncated') yield { type: 'gap', over: false }
  } else if (frame.type === 'stream.assignment') {
    // Where it stands follows at once, unless people are asked first.
    if (frame.event !== 'created') yield { type: 'delegated', work: frame }
  } else if (frame.type === 'stream.steering') {
    yield { type: 'steering', id: frame.message_id, delivery: frame.delivery }
  } else if (frame.type === 'stream.collision') {
    yield { type: 'collision', summary: frame.summary }
  } else if (isRunFrame(frame) && frame.seq > place.last) {
    const { late, ...it } = frame
    advance(place, it.seq)
    yield { type: 'frame', frame: it as RunFrame, late }
  }
}

/**
 * The first frame of a chat says only that there is a run, and nothing is held for who asks for what follows frame 0.
 */
function advance(place: Place, seq: number): void {
  place.last = Math.max(place.last, seq)
  place.from = Math.max(place.last, 1)
}

function* catchUp(place: Place): Generator<FeedEvent> {
  place.caughtUp = true
  if (place.expected <= place.last) return
  advance(place, place.expected)
  yield { type: 'gap', over: true }
}

const isRunFrame = <F extends RunFrame>(frame: F | StreamFrame): frame is F => !frame.type.startsWith('stream.')

/** Any failure but a refusal is worth another attempt. */
const passing = (error: unknown): boolean =>
  !(error instanceof ProblemError) || error.problem.status >= 500 || error.problem.status === 429

const waitFor = (error: unknown, wait: number): number =>
  error instanceof ProblemError && error.retryAfter ? error.retryAfter * 1000 : wait
