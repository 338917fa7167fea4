import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Ask } from '#runtime/sidecar/control'
import type { SidecarAnswer, SidecarCall } from '#runtime/types'
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
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/), agentId: 'agent-ada', runId: 'run-1', route: '/report-confidence', body: { reason: 'why' } },
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
    const waiting = Array.from({ length: 16 }, () => request(`${url}/report-confidence`, { method: 'POST', headers: ada }).end('{}'))
    for (const it of waiting) it.on('error', () => undefined)
    await expect.poll(() => asked.length).toBe(16)
    answer = async () => ({ status: 200, body: {} })
    const status = async () => (await call(`${url}/report-confidence`, { headers: ada, body: '{}' })).status
    expect(await status()).toBe(429)
    for (const it of waiting) it.destroy()
    await expect.poll(status).toBe(200)
  })
})
