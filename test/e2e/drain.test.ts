import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Musterd, startMusterd } from '../support/musterd.ts'

const root = new URL('../..', import.meta.url).pathname
const data = mkdtempSync(join(tmpdir(), 'muster-drain-'))
let daemon: Musterd | undefined

afterAll(async () => {
  await daemon?.kill()
  rmSync(data, { recursive: true, force: true })
})

const start = () =>
  startMusterd({
    SVC_DATA_DIR: data,
    SVC_PORT: '0',
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_CLAUDE_COMMAND: join(root, 'templates/demo/claude-stand-in/claude'),
    HOME: data,
  })

it('leaves with streams open and runs going on, which the next daemon finishes', async () => {
  daemon = await start()
  const signUp = { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  // biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const reply = await fetch(`${daemon!.url}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return reply.json()
  }
  const { cli_token, workspace_id } = await call('POST', '/bootstrap', signUp)
  Object.assign(headers, { authorization: `Bearer ${cli_token}`, 'x-workspace-id': workspace_id })
  const crew = await call('POST', '/crews', { name: 'Drain', slug: 'drain' })
  const agent = await call('POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })
  const chat = await call('POST', `/agents/${agent.id}/chats`, { origin: 'CLI' })
  const { run_id } = await call('POST', `/chats/${chat.id}/messages`, { content: 'count slowly to 40' })

  const stream = await fetch(`${daemon.url}/api/v1/chats/${chat.id}/stream?follow=true`, { headers })
  const lines = stream.body!.pipeThrough(new TextDecoderStream())
  const reading = (async () => {
    let text = ''
    for await (const chunk of lines) text += chunk
    return text.trim().split('\n').at(-1)!
  })()
  // One client over the local socket; it never says farewell.
  const socket = new WebSocket(`ws+unix://${data}/musterd.sock:/ws`, { headers: { host: 'localhost' } })
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ type: 'auth', token: (await call('GET', '/ws-token')).token }))
  await new Promise((resolve) => socket.once('message', resolve))
  socket.pause()

  expect(await daemon.stop()).toBe(0)
  expect(JSON.parse(await reading)).toMatchObject({ type: 'stream.end', reason: 'stream_closed' })

  daemon = await start()
  await expect.poll(async () => (await call('GET', `/runs/${run_id}`)).status, { timeout: 30_000 }).toBe('COMPLETED')
  const { messages } = await call('GET', `/chats/${chat.id}/messages`)
  expect(messages[1].content).toBe(Array.from({ length: 40 }, (_, n) => `${n + 1} `).join(''))
  expect(await daemon.stop()).toBe(0)
})
