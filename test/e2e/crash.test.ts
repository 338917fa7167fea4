import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { crashWhileStarting, type Musterd, startMusterd } from '../support/musterd.ts'

const root = new URL('../..', import.meta.url).pathname
const data = mkdtempSync(join(tmpdir(), 'muster-crash-'))
const kills = Number(process.env['MUSTER_CRASHES'] ?? 50)
const talkers = 4

let daemon: Musterd
let token = ''
let workspace = ''
const env = {
  SVC_DATA_DIR: data,
  SVC_PORT: '0',
  SVC_CONTAINER_PROVIDER: 'process',
  SVC_CLAUDE_COMMAND: join(root, 'templates/demo/claude-stand-in/claude'),
  SVC_MAX_CONCURRENT_RUNS: '3',
  SVC_LOG_LEVEL: 'error',
  HOME: data,
}
const start = () => startMusterd(env)

// biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
type Body = any

/** One request to the daemon of the moment. Throws when the connection breaks, so nobody knows whether it was heard. */
async function call(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
  const reply = await fetch(`${daemon.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-workspace-id': workspace,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await reply.text()
  return { status: reply.status, body: text ? JSON.parse(text) : null }
}

/** The same until a daemon answers. */
async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
  for (;;) {
    try {
      return await call(method, path, body)
    } catch {
      await pause(20)
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const numbers = (n: number) => Array.from({ length: n }, (_, i) => `${i + 1} `).join('')

interface Accepted {
  chat: string
  message: string
  run: string
  content: string
  answer: string
  /** Its end was asked for, and that was accepted. */
  cancelled: boolean
}

const accepted: Accepted[] = []
let over = false
let turns = 0

/** Says one thing after the other in a chat, and notes what was accepted. */
async function talk(chat: string): Promise<void> {
  while (!over) {
    const n = 5 + Math.floor(Math.random() * 25)
    const slow = Math.random() < 0.7
    const content = `count ${slow ? 'slowly ' : ''}to ${n} (turn ${++turns} of ${chat})`
    try {
      const { status, body } = await call('POST', `/chats/${chat}/messages`, { content })
      if (status === 202) {
        const it = { chat, message: body.message_id, run: body.run_id, content, answer: numbers(n), cancelled: false }
        accepted.push(it)
        if (Math.random() < 0.2) {
          await pause(Math.random() * 300)
          const answer = await call('POST', `/chats/${chat}/cancel`)
          it.cancelled = answer.body.run_id === it.run
        }
      }
      if (status !== 202) expect(status).toBe(409)
    } catch {
      // Accepted or not: the chat will tell by being busy.
    }
    await pause(30 + Math.random() * 200)
  }
}

interface Frame {
  seq: number
  type: string
  content?: string
}

/** Watches a chat over all crashes, each time going on where it was. */
async function watch(chat: string, done: AbortSignal): Promise<Frame[]> {
  const frames: Frame[] = []
  while (!done.aborted) {
    try {
      const url = `${daemon.url}/api/v1/chats/${chat}/stream?follow=true&last_seq=${frames.at(-1)?.seq ?? 0}`
      const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: done })
      const decoder = new TextDecoder()
      let rest = ''
      for await (const chunk of reply.body!) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = lines.pop()!
        frames.push(...lines.map((line) => JSON.parse(line) as Frame).filter(({ seq }) => seq !== undefined))
      }
    } catch {
      await pause(20)
    }
  }
  return frames
}

/** What was seen of each run, by the message that it answers. */
function seenOf(frames: Frame[]): { asked: string; said: string }[] {
  const seen: { asked: string; said: string }[] = []
  for (const { type, content } of frames) {
    if (type === 'user_message') seen.push({ asked: content!, said: '' })
    if (type === 'text') seen.at(-1)!.said += content
  }
  return seen
}

beforeAll(async () => {
  daemon = await start()
  const made = await call('POST', '/bootstrap', {
    full_name: 'Ada',
    email: 'ada@example.com',
    password: 'correct horse battery',
  })
  expect(made.status).toBe(201)
  token = made.body.cli_token
  workspace = made.body.workspace_id
})

afterAll(async () => {
  await daemon?.stop()
  rmSync(data, { recursive: true, force: true })
})

it(`loses nothing over ${kills} crashes`, { timeout: 600_000 }, async () => {
  const crew = await call('POST', '/crews', { name: 'Crash', slug: 'crash' })
  const chats: string[] = []
  for (let n = 0; n < talkers; n++) {
    const agent = await call('POST', '/agents', { name: `Agent ${n}`, slug: `agent-${n}`, crew_id: crew.body.id })
    chats.push((await call('POST', `/agents/${agent.body.id}/chats`, {})).body.id)
  }
  const talking = chats.map(talk)
  const watched = new AbortController()
  const watching = watch(chats[0]!, watched.signal)

  // A busy machine needs longer until anything is accepted, as it does to start the daemon.
  let startMs = 0
  for (let n = 0; n < kills; n++) {
    await pause(Math.random() * Math.max(700, startMs))
    await daemon.kill()
    if (Math.random() < 0.3) await crashWhileStarting(env, 100 + Math.random() * 500)
    const at = performance.now()
    daemon = await start()
    startMs = performance.now() - at
  }
  over = true
  await Promise.all(talking)
  await expect
    .poll(async () => (await ask('GET', '/runs?status=RUNNING')).body.data.length, { timeout: 120_000, interval: 200 })
    .toBe(0)
  watched.abort()
  const frames = await watching

  expect(accepted.length).toBeGreaterThan(kills / 2)
  const messages = new Map<string, Body[]>()
  for (const chat of chats) {
    const all: Body[] = []
    for (let at = 0; ; at += 500) {
      const { body } = await ask('GET', `/chats/${chat}/messages?offset=${at}&limit=500`)
      all.push(...body.messages)
      if (body.messages.length < 500) break
    }
    messages.set(chat, all)
  }
  for (const { chat, message, run, content, answer, cancelled } of accepted) {
    const said = messages.get(chat)!
    expect(said.filter(({ id }) => id === message)).toMatchObject([{ role: 'user', content }])
    const { status, error_message } = (await ask('GET', `/runs/${run}`)).body
    const answers = said.filter(({ role, metadata }) => role !== 'user' && metadata?.run_id === run)
    // A cancel whose answer was lost in a crash may have been heard.
    expect(cancelled ? ['CANCELLED'] : ['COMPLETED', 'CANCELLED'], error_message).toContain(status)
    if (status === 'COMPLETED') expect(answers).toMatchObject([{ role: 'assistant', content: answer }])
    else for (const { content: half } of answers) expect(answer.slice(0, half.length)).toBe(half)
    expect(answers.length).toBeLessThanOrEqual(1)
    const { body } = await ask(
      'GET',
      `/journal?trace_id=${run}&entry_type=run.completed,run.failed,run.cancelled,run.timeout`,
    )
    expect(body.entries).toHaveLength(1)
  }
  // Every run that there is has one end, acknowledged or not.
  const begun = await entries('run.started')
  const ended = await entries('run.completed,run.failed,run.cancelled,run.timeout')
  expect(ended.sort()).toEqual(begun.sort())
  expect(await entries('run.failed,run.timeout')).toEqual([])
  expect((await ask('GET', '/journal/verify')).body).toMatchObject({ valid: true })
  expect(processesOf(data)).toEqual([daemon.process.pid])
  expect(spools()).toEqual([])

  const order = frames.map(({ seq }) => seq)
  expect(order).toEqual([...new Set(order)].sort((a, b) => a - b))
  const seen = seenOf(frames)
  expect(seen.length).toBeGreaterThan(1)
  // Who was away at the end of a run reads the rest from the messages; nothing before it is missing or doubled.
  for (const { asked, said } of seen) {
    const whole = numbers(Number(/to (\d+)/.exec(asked)![1]))
    expect(whole.slice(0, said.length)).toBe(said)
  }
})

/** The runs that entries of these types speak of. */
async function entries(types: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await ask(
      'GET',
      `/journal?limit=500&entry_type=${types}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    found.push(...body.entries.map(({ trace_id }: { trace_id: string }) => trace_id))
    cursor = body.next_cursor ?? ''
    if (!cursor) return found
  }
}

/** Processes that work in the data directory or were started from it. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)
      } catch {
        return false
      }
    })
    .map(Number)
}

/** Folders of runs that are still there; a chat's session stays. */
function spools(): string[] {
  return readdirSync(join(data, 'crews'), { recursive: true })
    .map(String)
    .filter((path) => /\/spool\/[^/]+\/(?!session-)[^/]+$/.test(`/${path}`))
}
