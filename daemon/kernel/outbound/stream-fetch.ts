import { ReadableStream } from 'node:stream/web'
import type { FetchOptions } from './fetch.ts'
import type { Outbound, OutboundRequest } from './outbound.ts'

type Rules = Pick<OutboundRequest, 'operator' | 'timeoutMs' | 'maxBytes' | 'signal'> & {
  /**
   * What stands in the first piece of a stream of events (`text/event-stream`) as JSON, if that is all which is waited
   * for: then it is the answer, and the rest is read for nothing but the connection's sake.
   */
  whole?(piece: string): string | null
}

/** As `outboundFetch`, with a body that is read as it comes. */
export const streamingFetch =
  (outbound: Outbound, { signal: until, whole, ...rules }: Rules) =>
  async (
    url: string | URL,
    {
      method = 'GET',
      headers,
      body,
      signal,
    }: Omit<FetchOptions, 'headers'> & { headers?: ConstructorParameters<typeof Headers>[0] } = {},
  ) => {
    const signals = [signal, until].filter((it) => it != null)
    const reply = await outbound.stream(String(url), {
      ...rules,
      method: method as NonNullable<OutboundRequest['method']>,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body != null && { body: String(body) }),
      ...(signals.length && { signal: AbortSignal.any(signals) }),
    })
    const answer = new Headers()
    for (const [name, value] of Object.entries(reply.headers))
      for (const one of [value ?? []].flat()) answer.append(name, one)
    const { status } = reply
    if ([204, 205, 304].includes(status)) return new Response(null, { status, headers: answer })
    if (whole && /^text\/event-stream *(;|$)/i.test(answer.get('content-type') ?? '')) {
      const pieces = reply.body[Symbol.asyncIterator]()
      const first = await pieces.next()
      const said = first.done ? null : whole(first.value.toString('utf8'))
      if (said !== null) {
        void discard(pieces)
        answer.set('content-type', 'application/json')
        return new Response(said, { status, headers: answer })
      }
      return new Response(streamOf(first.done ? [] : again(first.value, pieces)), { status, headers: answer })
    }
    return new Response(streamOf(reply.body), { status, headers: answer })
  }

const streamOf = (body: AsyncIterable<Buffer> | Buffer[]): ReadableStream => ReadableStream.from(body)

async function* again(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Reads the rest, within the bounds of the exchange. */
async function discard(rest: AsyncIterator<Buffer>): Promise<void> {
  try {
    while (!(await rest.next()).done);
  } catch {}
}
