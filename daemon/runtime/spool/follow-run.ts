import type { Buffer } from 'node:buffer'
import type { Follow, FollowSink } from '../types.ts'
import { runEnd } from './record.ts'

/** What a run left behind: the line of its `exit` file, null when there is none. */
export interface Outcome {
  record: string | null
  stderr: string
}

/** One pass over a run's output, from `position` to its current end. */
export interface Reading {
  outcome: Promise<Outcome>
  stop(): void
}

export interface RunSource {
  read(position: number, data: (chunk: Buffer) => void): Reading
  /** Ends the remaining processes of the run, which creates its record. */
  end(): Promise<void>
}

export const never = (reason: string): Outcome => ({ record: `never ${reason}`, stderr: '' })

/**
 * Follows a run to its end. When the supervisor is gone without a record, the run is ended and its output read to the
 * end before it counts as lost.
 */
export function followRun(offset: number, sink: FollowSink, source: RunSource): Follow {
  let position = offset
  let closed = false
  let reading: Reading | null = null

  const data = (chunk: Buffer) => {
    if (closed) return
    const at = position
    position += chunk.length
    sink.data(chunk, at)
  }
  const readOn = (): Promise<Outcome> => {
    reading = source.read(position, data)
    return reading.outcome
  }
  async function follow(): Promise<Outcome> {
    const first = await readOn()
    if (first.record !== null || closed) return first
    await source.end()
    return closed ? first : readOn()
  }
  follow().then(
    ({ record, stderr }) => closed || sink.end(runEnd(record), stderr),
    (error: Error) => closed || sink.broken(error),
  )
  return {
    close() {
      closed = true
      reading?.stop()
    },
  }
}
