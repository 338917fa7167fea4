import type { Outbound, OutboundRequest } from './outbound.ts'

/** The part of `fetch` that libraries need: no streams, and redirects are returned. */
export interface FetchOptions {
  method?: string
  headers?: Record<string, string>
  body?: unknown
  signal?: AbortSignal | null | undefined
}

/** A `fetch` for libraries, which sends through the daemon's own client and its rules. */
export const outboundFetch =
  (
    outbound: Outbound,
    { signal: until, ...rules }: Pick<OutboundRequest, 'operator' | 'timeoutMs' | 'maxBytes' | 'signal'> = {},
  ) =>
  async (url: string, { method = 'GET', headers = {}, body, signal }: FetchOptions = {}): Promise<Response> => {
    const signals = [signal, until].filter((it) => it != null)
    const { status, text, ...reply } = await outbound.send(url, {
      ...rules,
      method: method as NonNullable<OutboundRequest['method']>,
      headers,
      ...(body != null && { body: String(body) }),
      ...(signals.length && { signal: AbortSignal.any(signals) }),
    })
    const answer = new Headers()
    for (const [name, value] of Object.entries(reply.headers))
      for (const one of [value ?? []].flat()) answer.append(name, one)
    return new Response([204, 205, 304].includes(status) ? null : text, { status, headers: answer })
  }
