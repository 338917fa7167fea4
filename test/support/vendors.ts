import type { ServerResponse } from 'node:http'
import { createOutbound, type Outbound } from '#kernel/outbound/outbound'
import { fakeServer } from './fake-server.ts'
import { closing, type TestDaemon } from './index.ts'

/** A request as it came to a vendor. */
export interface Arrived {
  method: string
  /** As the daemon meant it, with the vendor's host. */
  url: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

/**
 * Stands in for all other servers on loopback: every request of the daemon goes there through its real client, whatever
 * its host. `answer` is the vendor's.
 */
export async function vendors(
  it: TestDaemon,
  answer: (request: Arrived, reply: ServerResponse) => void = (_, reply) => void reply.end(),
) {
  const arrived: Arrived[] = []
  const waiting = new Set<() => void>()
  const server = closing(
    await fakeServer((request, reply) => {
      const one = { ...request, url: String(request.headers['x-meant-for']) }
      delete one.headers['x-meant-for']
      arrived.push(one)
      answer(one, reply)
      for (const look of waiting) look()
    }),
  )
  const outbound = closing(createOutbound({ permits: () => true }))
  const send: Outbound['send'] = (url, request) => {
    if (!url.startsWith('https://')) throw new Error(`Not by TLS: ${url}`)
    const { pathname, search } = new URL(url)
    const headers = { ...request?.headers, 'x-meant-for': url }
    return outbound.send(`${server.url}${pathname}${search}`, { ...request, headers, operator: true })
  }
  Object.assign(it.app, { outbound: { ...outbound, send } })
  return {
    arrived,
    /** Resolves once so many requests have arrived. */
    until: (count: number) =>
      new Promise<Arrived[]>((resolve) => {
        const look = () => {
          if (arrived.length < count) return
          waiting.delete(look)
          resolve(arrived)
        }
        waiting.add(look)
        look()
      }),
  }
}
