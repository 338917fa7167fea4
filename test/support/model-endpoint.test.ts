import { afterEach, describe, expect, it } from 'vitest'
import { type ModelEndpoint, modelEndpoint, type Script } from './model-endpoint.ts'

const open: ModelEndpoint[] = []
afterEach(() => Promise.all(open.splice(0).map((it) => it.close())))

async function endpoint(script: Script, keys?: string[]) {
  const it = await modelEndpoint(script, keys ? { keys } : {})
  open.push(it)
  const ask = (extra: object = {}, signal?: AbortSignal) =>
    fetch(`${it.url}/v1/messages?beta=true`, {
      method: 'POST',
      headers: { 'x-api-key': 'good', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }], ...extra }),
      signal: signal ?? null,
    })
  return { ...it, ask }
}

const events = async (reply: Response) =>
  [...(await reply.text()).matchAll(/^event: (.+)\ndata: (.+)$/gm)].map(([, name, data]) => {
    const event = JSON.parse(data!)
    expect(event.type).toBe(name)
    return event
  })

describe('modelEndpoint', () => {
  it('streams text and a tool call as the vendor does', async () => {
    const { ask } = await endpoint([{ text: ['Hel', 'lo'], tools: [{ name: 'Bash', input: { command: 'ls' } }] }])
    const seen = await events(await ask())
    expect(seen.map((event) => event.type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    const input = seen.filter((event) => event.index === 1 && event.delta).map((event) => event.delta.partial_json)
    expect(JSON.parse(input.join(''))).toEqual({ command: 'ls' })
    expect(seen.at(-2).delta.stop_reason).toBe('tool_use')
  })

  it('answers as plain JSON when no stream is asked for', async () => {
    const { ask } = await endpoint([{ text: 'Hello' }])
    expect(await (await ask({ stream: false })).json()).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
    })
  })

  it('goes through its list, then repeats the last turn', async () => {
    const { ask } = await endpoint([{ text: 'one' }, { text: 'two' }])
    const said = async () =>
      ((await (await ask({ stream: false })).json()) as { content: { text: string }[] }).content[0]?.text
    expect([await said(), await said(), await said()]).toEqual(['one', 'two', 'two'])
  })

  it.each([
    [401, 'authentication_error'],
    [429, 'rate_limit_error'],
    [529, 'overloaded_error'],
  ])('refuses with %i and the body of the vendor', async (status, type) => {
    const { ask } = await endpoint([{ status, retryAfter: 7 }])
    const reply = await ask()
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([status, '7'])
    expect(await reply.json()).toMatchObject({ type: 'error', error: { type } })
  })

  it('refuses every key but the given ones', async () => {
    const { ask, url, messages } = await endpoint([{ text: 'Hello' }], ['other'])
    expect((await ask()).status).toBe(401)
    expect((await fetch(`${url}/v1/models`, { headers: { 'x-api-key': 'other' } })).status).toBe(200)
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    expect(messages).toEqual([])
  })

  it('breaks a stream with an error event', async () => {
    const { ask } = await endpoint([{ text: 'Hel', breaks: { type: 'overloaded_error', message: 'Overloaded' } }])
    expect((await events(await ask())).at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    })
  })

  it('hangs until the client goes away, and knows that it did', async () => {
    const { ask, requests, until } = await endpoint([{ text: 'Wait', hangs: true }])
    const leave = new AbortController()
    const reply = await ask({}, leave.signal)
    await reply.body!.getReader().read()
    leave.abort()
    await until(() => requests[0]!.aborted)
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/v1/messages', key: 'good' })
  })
})
