import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Musterd, startMusterd } from './musterd.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
type Body = any
export interface Answer {
  status: number
  body: Body
}

interface Accepted {
  chat: string
  message: string
  run: string
  content: string
  answer: string
  /** Its end was asked for, and that was accepted. */
  cancelled: boolean
}

/** A daemon whose data is in a folder that will fail it, and people who go on working. */
export interface DiskScene {
  readonly daemon: Musterd
  /** Starts the next daemon on the same folder. */
  start(): Promise<void>
  token: string
  workspace: string
  crewId: string
  call(method: string, path: string, body?: object): Promise<Answer>
  newChat(slug: string): Promise<string>
  /**
   * Says one thing after the other in a chat, and cancels some, until `stop`; refusals must be the disk's, or that the
   * agent is busy.
   */
  talk(chat: string): Promise<void>
  stop(): void
  /**
   * Stores values on a disk that is filled again and again, until one is refused; the refusal. What was stored is
   * remembered for `expectStored`.
   */
  untilRefused(fill: () => void): Promise<Answer>
  /** Resolves when the daemon says that its disk works. */
  healthy(): Promise<void>
  /** That every value is the one that was stored last, and none that was refused. */
  expectStored(): Promise<void>
  /**
   * That every run came to one end, everything accepted is there (answers to the letter if `exact`), and the journal
   * holds. The counts of the ends.
   */
  expectWhole(exact: boolean): Promise<Record<string, number>>
  readonly accepted: Accepted[]
}

const root = new URL('../..', import.meta.url).pathname
export const standIn = join(root, 'templates/demo/claude-stand-in/claude')

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const numbers = (n: number) => Array.from({ length: n }, (_, i) => `${i + 1} `).join('')
const ends = 'run.completed,run.failed,run.cancelled,run.timeout'

/** Starts the built daemon on a folder, its log included, and makes its first user and a crew. */
export async function diskScene(
  folder: string,
  settings: Record<string, string>,
  random: () => number,
): Promise<DiskScene> {
  const { DOCKER_HOST } = process.env
  // The reserve would end runs before the disk is full.
  const own = { HOME: folder, SVC_DATA_DIR: join(folder, 'data'), SVC_PORT: '0', SVC_DISK_RESERVE_MB: '0' }
  const env = { ...own, ...(DOCKER_HOST && { DOCKER_HOST }), ...settings }
  async function launch(): Promise<Musterd> {
    const log = openSync(join(folder, 'musterd.log'), 'a')
    try {
      return await startMusterd(env, undefined, { log })
    } finally {
      closeSync(log)
    }
  }
  let daemon = await launch()
  const who: Record<string, string> = {}
  const accepted: Accepted[] = []
  const stored = new Map<string, string>()
  let over = false
  let turns = 0
  let fillers = 0

  async function call(method: string, path: string, body?: object): Promise<Answer> {
    const reply = await fetch(`${daemon.url}${/^\/(api|readyz)/.test(path) ? '' : '/api/v1'}${path}`, {
      method,
      headers: { ...who, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch(async (error: Error) => {
      await pause(500)
      const { exitCode, signalCode } = daemon.process
      const end = `exit code ${exitCode}, signal ${signalCode}`
      throw new Error(`${method} ${path} was not answered, the daemon's end: ${end}`, { cause: error.cause ?? error })
    })
    const text = await reply.text()
    return { status: reply.status, body: text ? JSON.parse(text) : null }
  }

  const made = (
    await call('POST', '/bootstrap', { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' })
  ).body
  const [token, workspace] = [made.cli_token as string, made.workspace_id as string]
  Object.assign(who, { authorization: `Bearer ${token}`, 'x-workspace-id': workspace })
  const crewId = (await call('POST', '/crews', { name: 'Works', slug: 'works' })).body.id as string

  async function talk(chat: string): Promise<void> {
    while (!over) {
      const n = 5 + Math.floor(random() * 25)
      const content = `count ${random() < 0.6 ? 'slowly ' : ''}to ${n} (turn ${++turns} of ${chat})`
      const { status, body } = await call('POST', `/chats/${chat}/messages`, { content })
      if (status === 202) {
        const it = { chat, message: body.message_id, run: body.run_id, content, answer: numbers(n), cancelled: false }
        accepted.push(it)
        if (random() < 0.3) {
          await pause(random() * 500)
          const answer = await call('POST', `/chats/${chat}/cancel`)
          it.cancelled = answer.status < 300 && answer.body.run_id === it.run
        }
      } else expect(body.code).toMatch(/^(chat_busy|storage_full|storage_unavailable)$/)
      await pause(30 + random() * 200)
    }
  }

  async function set(key: string): Promise<Answer> {
    const value = randomBytes(5_000).toString('hex')
    const answer = await call('PUT', `/me/preferences/${key}`, { value })
    if (answer.status === 204) stored.set(key, value)
    return answer
  }

  /**
   * New rows need room in the database, so that the write-ahead log cannot be emptied; the values then fill what the
   * log has left.
   */
  async function untilRefused(fill: () => void): Promise<Answer> {
    for (let batch = 0; batch < 100; batch++) {
      fill()
      const name = `filler-${++fillers}`
      const filler = call('POST', '/agents', { name, slug: name, system_prompt: randomBytes(5_000).toString('hex') })
      const answers = await Promise.all([filler, ...Array.from({ length: 40 }, (_, n) => set(`k${n}`))])
      const refused = answers.find(({ status }) => status >= 300)
      if (refused) return refused
    }
    throw new Error('The disk never ran full')
  }

  /** The runs that entries of these types speak of. */
  async function entries(types: string): Promise<string[]> {
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await call(
        'GET',
        `/journal?limit=500&entry_type=${types}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      found.push(...body.entries.map(({ trace_id }: { trace_id: string }) => trace_id))
      cursor = body.next_cursor ?? ''
      if (!cursor) return found
    }
  }

  async function messagesOf(chat: string): Promise<Body[]> {
    const all: Body[] = []
    for (;;) {
      const { body } = await call('GET', `/chats/${chat}/messages?offset=${all.length}&limit=500`)
      all.push(...body.messages)
      if (body.messages.length < 500) return all
    }
  }

  async function expectRun(
    { chat, message, run, content, answer, cancelled }: Accepted,
    exact: boolean,
  ): Promise<string> {
    const said = await messagesOf(chat)
    expect(said.filter(({ id }) => id === message)).toMatchObject([{ role: 'user', content }])
    const { status } = (await call('GET', `/runs/${run}`)).body
    if (cancelled) expect(status).toBe('CANCELLED')
    const answers = said.filter(({ role, metadata }) => role !== 'user' && metadata?.run_id === run)
    if (status === 'COMPLETED')
      expect(answers).toMatchObject([{ role: 'assistant', ...(exact && { content: answer }) }])
    expect(answers.length).toBeLessThanOrEqual(1)
    return status
  }

  return {
    get daemon() {
      return daemon
    },
    async start() {
      daemon = await launch()
    },
    token,
    workspace,
    crewId,
    call,
    accepted,
    talk,
    stop: () => {
      over = true
    },
    async newChat(slug) {
      const agent = await call('POST', '/agents', { name: slug, slug, crew_id: crewId })
      expect(agent.status).toBe(201)
      return (await call('POST', `/agents/${agent.body.id}/chats`, {})).body.id
    },
    untilRefused,
    async healthy() {
      await expect
        .poll(async () => (await call('GET', '/api/health')).body.status, { timeout: 20_000, interval: 25 })
        .toBe('ok')
    },
    async expectStored() {
      const { body } = await call('GET', '/me/preferences')
      for (const [key, value] of stored) expect(body[key]).toEqual({ value })
    },
    async expectWhole(exact) {
      const running = async () => (await call('GET', '/runs?status=RUNNING')).body.data.length
      await expect.poll(running, { timeout: 60_000, interval: 100 }).toBe(0)
      const counts: Record<string, number> = {}
      for (const it of accepted) {
        const status = await expectRun(it, exact)
        counts[status] = (counts[status] ?? 0) + 1
      }
      expect((await entries(ends)).sort()).toEqual((await entries('run.started')).sort())
      expect((await call('GET', '/journal/verify')).body).toMatchObject({ valid: true })
      expect((await call('GET', '/journal?q=started')).body.entries.length).toBeGreaterThan(0)
      expect(daemon.process.exitCode).toBeNull()
      return counts
    },
  }
}

/** Processes that work in a folder or were started from it. */
export function processesOf(folder: string): number[] {
  const mentions = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && mentions(name))
    .map(Number)
}
