import { ReadableStream } from 'node:stream/web'
import type { FetchOptions } from './fetch.ts'
import type { Outbound, OutboundRequest } from './outbound.ts'

/** As `outboundFetch`, with a body that is read as it comes. */
export const streamingFetch =
  (
    outbound: Outbound,
    { signal: until, ...rules }: Pick<OutboundRequest, 'operator' | 'timeoutMs' | 'maxBytes' | 'signal'>,
  ) =>
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
    const empty = [204, 205, 304].includes(reply.status)
    return new Response(empty ? null : (ReadableStream.from(reply.body) as BodyInit), {
      status: reply.status,
      headers: answer,
    })
  }
