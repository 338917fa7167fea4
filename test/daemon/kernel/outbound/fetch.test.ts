import { describe, expect, it } from 'vitest'
import { outboundFetch } from '#kernel/outbound/fetch'
import { createOutbound, OutboundError } from '#kernel/outbound/outbound'
import { closing } from '#test'
import { server } from '../../../support/server.ts'

const fetchOf = (rules = {}) => outboundFetch(closing(createOutbound()), { operator: true, ...rules })

describe('a fetch that goes the one way out', () => {
  it('sends what it is given, and gives what it gets', async () => {
    const { url, seen } = await server((_, response) =>
      response.writeHead(201, { 'x-many': ['a', 'b'], 'content-type': 'application/json' }).end('{"a":"ü"}'),
    )
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetchOf()(`${url}/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ code: 'ä&' }),
    })
    expect(seen).toMatchObject([{ method: 'POST', url: '/token', headers, body: 'code=%C3%A4%26' }])
    expect([answer.status, answer.headers.get('x-many'), await answer.json()]).toEqual([201, 'a, b', { a: 'ü' }])
  })

  it('gives redirects and answers without a body as they are', async () => {
    for (const status of [204, 302, 304]) {
      const { url, seen } = await server((_, response) => response.writeHead(status, { location: '/elsewhere' }).end())
      const answer = await fetchOf()(url)
      expect([answer.status, answer.headers.get('location'), await answer.text(), seen.length]).toEqual([
        status,
        '/elsewhere',
        '',
        1,
      ])
    }
  })

  it('keeps the rules: size, the signals of both sides, addresses', async () => {
    const { url } = await server((_, response) => response.end('x'.repeat(100)))
    await expect(fetchOf({ maxBytes: 99 })(url)).rejects.toMatchObject({ reason: 'too_large' })
    await expect(fetchOf({ signal: AbortSignal.abort() })(url)).rejects.toMatchObject({ reason: 'timeout' })
    await expect(fetchOf()(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ reason: 'timeout' })
    await expect(fetchOf({ operator: false })(url)).rejects.toThrow(OutboundError)
  })
})
