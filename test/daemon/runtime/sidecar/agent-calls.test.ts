import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Ask } from '#runtime/sidecar/control'
import type { SidecarAnswer, SidecarCall } from '#runtime/types'
import { hostileJson, oddJson } from '../../../support/hostile-json.ts'
import { call, config, sidecar } from './support.ts'

const ada = { authorization: 'Bearer dummy-ada', 'x-svc-run-id': 'run-1' }

/** A sidecar whose daemon answers as told, and what it was asked. */
async function asking(answer: () => Promise<SidecarAnswer> = async () => ({ status: 201, body: { id: 'e1' } })) {
  const asked: SidecarCall[] = []
  const hungUp: string[] = []
  const ask: Ask = (it) => {
    asked.push(it)
    return { answer: answer(), hangUp: () => void hungUp.push(it.id) }
  }
  return { ...(await sidecar(config([], {}), { ask })), asked, hungUp }
}

describe('what agents ask of the daemon', () => {
  it('carries the body with who asks, and the answer back', async () => {
    const { url, asked } = await asking()
    const { status, body } = await call(`${url}/report-confidence`, { headers: ada, body: '{"reason":"why"}' })
    expect([status, JSON.parse(body)]).toEqual([201, { id: 'e1' }])
    expect(asked).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        agentId: 'agent-ada',
        runId: 'run-1',
        route: '/report-confidence',
        body: { reason: 'why' },
      },
    ])
  })

  it.each([
    ['no key', {}, 'POST', '{}', 401],
    ['a foreign key', { authorization: 'Bearer dummy-eve' }, 'POST', '{}', 401],
    ['another method', ada, 'GET', '', 405],
    ['no JSON', ada, 'POST', '{', 400],
    ['too much', ada, 'POST', `"${'x'.repeat(64 * 1024)}"`, 413],
  ])('refuses %s', async (_, headers, method, body, status) => {
    const { url, asked } = await asking()
    expect((await call(`${url}/report-confidence`, { method, headers, body })).status).toBe(status)
    expect(asked).toEqual([])
  })

  it('takes a result that is read by its address, and no other address', async () => {
    const { url, asked } = await asking()
    const id = 'c0mjuohs00rx4leyed0cfis1d'
    const read = async (path: string, method = 'GET') => {
      const body = method === 'GET' ? {} : { body: '{}' }
      return (await call(`${url}${path}`, { method, headers: ada, ...body })).status
    }
    expect(await read(`/results/${id}?x=y`)).toBe(201)
    expect(asked.map(({ route, body }) => [route, body])).toEqual([['/results', { assignment_id: id }]])
    expect(await read('/results')).toBe(405)
    for (const path of ['/results/', '/results/a/b', '/escalate/x', '/constructor/x', '/toString/x'])
      expect(Math.floor((await read(path)) / 100), path).not.toBe(2)
    expect(await read(`/results/${id}`, 'POST')).not.toBe(201)
    expect(asked).toHaveLength(1)
    expect((await call(`${url}/results/${id}`, { method: 'GET' })).status).toBe(401)
  })

  it('keeps the connection where a refusal leaves nothing unread', async () => {
    const { url } = await asking()
    const refused = async (init: RequestInit) => {
      const { status, headers } = await fetch(`${url}/mcp`, init)
      return [status, headers.get('connection')]
    }
    expect(await refused({})).toEqual([401, 'keep-alive'])
    expect(await refused({ headers: ada })).toEqual([405, 'keep-alive'])
    expect(await refused({ method: 'POST', body: '{}' })).toEqual([401, 'close'])
  })

  it('hangs up when the agent goes away', async () => {
    const { url, asked, hungUp } = await asking(() => new Promise(() => {}))
    const out = request(`${url}/report-confidence`, { method: 'POST', headers: ada }).end('{}')
    out.on('error', () => undefined)
    await expect.poll(() => asked.length).toBe(1)
    out.destroy()
    await expect.poll(() => hungUp).toEqual([asked[0]!.id])
  })

  it('lets one agent wait for a bounded number of answers', async () => {
    let answer: () => Promise<SidecarAnswer> = () => new Promise(() => {})
    const { url, asked } = await asking(() => answer())
    const waiting = Array.from({ length: 16 }, () =>
      request(`${url}/report-confidence`, { method: 'POST', headers: ada }).end('{}'),
    )
    for (const it of waiting) it.on('error', () => undefined)
    await expect.poll(() => asked.length).toBe(16)
    answer = async () => ({ status: 200, body: {} })
    const status = async () => (await call(`${url}/report-confidence`, { headers: ada, body: '{}' })).status
    expect(await status()).toBe(429)
    for (const it of waiting) it.destroy()
    await expect.poll(status).toBe(200)
  })

  it('counts each agent by itself, also where all of them have one uid', async () => {
    const ask: Ask = ({ agentId }) => ({
      answer: agentId === 'agent-bo' ? Promise.resolve({ status: 200, body: {} }) : new Promise(() => {}),
      hangUp: () => undefined,
    })
    const agents = Object.fromEntries(
      ['ada', 'bo'].map((slug) => [`dummy-${slug}`, { agentId: `agent-${slug}`, slug, credentials: [] }]),
    )
    const { url } = await sidecar(config([], {}, { agents }), { ask })
    const as = (key: string) => ({ ...ada, authorization: `Bearer ${key}` })
    const waiting = Array.from({ length: 16 }, () =>
      request(`${url}/report-confidence`, { method: 'POST', headers: as('dummy-ada') }).end('{}'),
    )
    for (const it of waiting) it.on('error', () => undefined)
    const status = async (key: string) =>
      (await call(`${url}/report-confidence`, { headers: as(key), body: '{}' })).status
    await expect.poll(() => Promise.race([status('dummy-ada'), pause(500, 'waits')])).toBe(429)
    expect(await status('dummy-bo')).toBe(200)
    for (const it of waiting) it.destroy()
  })
})

describe('a hostile body', () => {
  const rpc = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`

  it.each(hostileJson)('of %s is answered 400, and the daemon hears nothing', async (_, json) => {
    const { url, asked } = await asking()
    const bodies = [
      ['/report-confidence', json],
      ['/report-confidence', `{"reason":${json}}`],
      ['/mcp', json],
      ['/mcp', rpc(`{"name":"escalate","arguments":{"reason":${json}}}`)],
      ['/mcp', rpc(`{"name":"escalate","_meta":{"progressToken":${json}}}`)],
    ]
    for (const [route, body] of bodies)
      expect((await call(`${url}${route}`, { headers: ada, body })).status, `${route} ${body!.slice(0, 80)}`).toBe(400)
    expect(asked).toEqual([])
    expect((await call(`${url}/health`, { method: 'GET' })).status).toBe(200)
  })

  it.each(oddJson)('of %s is passed on for what it is, or refused', async (_, json) => {
    const { url, asked } = await asking()
    expect((await call(`${url}/report-confidence`, { headers: ada, body: `{"reason":${json}}` })).status).toBe(201)
    expect(asked.map(({ body }) => body)).toEqual([{ reason: JSON.parse(json) }])
    for (const params of [`{"name":${json}}`, json]) {
      const { status, body } = await call(`${url}/mcp`, { headers: ada, body: rpc(params) })
      expect([status, JSON.parse(body).error.code]).toEqual([200, -32602])
    }
    const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${json}}}`
    expect(JSON.parse((await call(`${url}/mcp`, { headers: ada, body: hello })).body).result.protocolVersion).toBe(
      '2025-06-18',
    )
  })
})

describe('an agent that calls too often', () => {
  it('is told when to come again, and refused by its sidecar until then', async () => {
    const refusal = { code: 'rate_limited', retry_after: 5, error: 'Try again in 5 s' }
    const { url, asked } = await asking(async () => ({ status: 429, body: refusal }))
    const send = () => call(`${url}/report-confidence`, { headers: ada, body: '{}' })
    const { status, headers, body } = await send()
    expect([status, headers['retry-after'], JSON.parse(body)]).toEqual([429, '5', refusal])
    expect((await Promise.all(Array.from({ length: 15 }, send))).map((it) => it.status)).toEqual(Array(15).fill(429))
    const tool = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report_confidence","arguments":{}}}'
    const said = JSON.parse((await call(`${url}/mcp`, { headers: ada, body: tool })).body).result
    expect([said.isError, JSON.parse(said.content[0].text)]).toMatchObject([
      true,
      { code: 'rate_limited', retry_after: expect.any(Number) },
    ])
    expect(asked).toHaveLength(1)
  })
})
