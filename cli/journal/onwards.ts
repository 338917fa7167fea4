import type { Client, Connection } from '#client'
import type { Entry } from '#contract/entries'
import { type FollowOptions, follow } from './follow.ts'
import { newest, type Query } from './past.ts'

interface Onwards extends Pick<FollowOptions, 'onState'> {
  api: Client
  connection: Connection
  query: Query
  /** What is told first. */
  past: AsyncIterable<Entry>
  /** Called when nothing that is written from then on is missed. */
  onReady?: () => void
}

/** Entries of the past, then those that are written from now on: each once and in order. */
export async function* onwards({ api, connection, query, past, onState, onReady }: Onwards): AsyncGenerator<Entry> {
  // Noted first: whatever is written from now on comes after it.
  let [last = null] = await newest(api, {}, 1)
  const mark = last
  onReady?.()
  for await (const entry of past) {
    if (last === mark || entry.id > last!.id) last = entry
    yield entry
  }
  yield* follow(api, connection, query, { after: last, onState })
}

/** What a person is told of the connection meanwhile. */
export const tellState =
  (out: { note(text: string, tone: 'yellow'): void }) =>
  (lost?: Error): void =>
    out.note(lost ? 'The connection is lost; trying again.' : 'The connection is back.', 'yellow')
