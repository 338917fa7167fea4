import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, watch as watchFolder, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { events } from '#client/events'
import type { RunFrame } from '#contract/frames'
import { fetchClient, survivors } from '../support/agent-client.ts'
import {
  agentProcesses,
  belongings,
  bridgeAddress,
  containerOf,
  engineMissing,
  onEngineEvent,
  removeInstallation,
} from '../support/engine.ts'
import { endsIn, type Installation, install, spoken } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

const host = await bridgeAddress()
const noContainers =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(noContainers)
const client = fetchClient('claude')
leaveOut(client.missing)

const words = Array.from({ length: 30 }, (_, n) => `${n + 1} `)
const whole = words.join('')

/** Where agents run, and what a test can see of a run there without a daemon. */
interface Place {
  /** Where the model listens. */
  host: string
  settings(): Record<string, string>
  /** To be called while the run goes on: resolves when its program has ended. */
  ended(run: { runId: string }): Promise<() => Promise<unknown>>
  /** What is left of a run. */
  left(runId: string): Promise<unknown[]>
}

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let agentId: string
/** Holds the client that local processes are started as. */
let scratch: string | undefined

const local: Place = {
  host: '127.0.0.1',
  settings() {
    // A sidecar of this runtime dies with its daemon, so the client goes past it.
    scratch = mkdtempSync(join(tmpdir(), 'muster-restart-'))
    const program = join(scratch, 'claude')
    writeFileSync(
      program,
      `#!/bin/sh\nexport IS_SANDBOX=1 ANTHROPIC_BASE_URL=${model.url}\nexec ${client.bin}/claude "$@"\n`,
      { mode: 0o755 },
    )
    return { SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: program }
  },
  async ended({ runId }) {
    const folder = join(daemon.dataDir, 'crews', crewId, 'spool/ada', runId)
    const watcher = watchFolder(folder)
    return async () => {
      while (!existsSync(join(folder, 'exit'))) await once(watcher, 'change')
      watcher.close()
    }
  },
  left: async (runId) => survivors(runId),
}

const containers: Place = {
  host: host!,
  settings: () => ({
    SVC_CONTAINER_PREFIX: 'muster-restart',
    SVC_ANTHROPIC_URL: model.url,
    SVC_CONTAINER_MEMORY_MB: '2048',
  }),
  async ended() {
    const { id } = await containerOf(crewId)
    let over = () => {}
    const gone = new Promise<void>((resolve) => {
      over = resolve
    })
    const heard = await onEngineEvent(({ Action, Actor }) => Action === 'exec_die' && Actor.ID === id && over())
    return () => gone.finally(() => heard.close())
  },
  left: async () => agentProcesses(await containerOf(crewId)),
}

/** How many words the model may say so far; what comes after them waits. */
let allowed = 0
const waiting = new Set<() => void>()
const pace = (n: number): Promise<void> | undefined =>
  n < allowed ? undefined : new Promise<void>((resolve) => waiting.add(resolve)).then(() => pace(n))
function allow(count: number): void {
  allowed = count
  for (const go of waiting) go()
  waiting.clear()
}

async function open(place: Place): Promise<void> {
  model = await modelEndpoint(() => ({ text: words, pace }), { host: place.host })
  daemon = await install(place.settings())
  crewId = (await daemon.client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  await daemon.client.credentials.create({
    body: { name: 'key', value: 'sk-ant-api03-restart', type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  agentId = (await daemon.client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
}

async function close(installation = ''): Promise<void> {
  await daemon?.remove()
  await model?.close()
  if (scratch) rmSync(scratch, { recursive: true, force: true })
  if (installation) await removeInstallation(installation)
}

/** Reads a chat until so many words came; the frames, none of them before `after`. */
async function read(
  chatId: string,
  { after = 0, count = Number.POSITIVE_INFINITY, begin = async () => {} },
): Promise<RunFrame[]> {
  const frames: RunFrame[] = []
  for await (const line of daemon.watch(chatId, { last_seq: after, follow: true })) {
    if (line.type === 'stream.open') await begin()
    if (!('seq' in line)) continue
    frames.push(line)
    if (line.type === 'done' || frames.filter(({ type }) => type === 'text').length >= count) break
  }
  return frames
}

/** Begins a run and reads its first words. */
async function begun(count: number): Promise<{ chatId: string; runId: string; seen: RunFrame[] }> {
  const chatId = await daemon.openChat(agentId)
  let runId = ''
  const begin = async () => {
    runId = await daemon.say(chatId, 'Count to 30.')
  }
  allow(count)
  const seen = await read(chatId, { count, begin })
  return { chatId, runId, seen }
}

const last = (frames: RunFrame[]) => frames.at(-1)!.seq

/** That nothing of a run is missing, doubled or out of order, whoever asks. */
async function expectWhole(chatId: string, runId: string, seen: RunFrame[]): Promise<void> {
  expect(spoken(seen)).toBe(whole)
  const order = seen.map(({ seq }) => seq)
  expect(order).toEqual([...new Set(order)].sort((a, b) => a - b))
  const output = seen.findIndex(({ type }) => type === 'text')
  expect(await read(chatId, { after: order[output]! - 1 })).toEqual(seen.slice(output))
  const [, answer, ...others] = await daemon.messagesOf(chatId)
  expect(answer).toMatchObject({
    role: 'assistant',
    content: whole,
    parts: [{ type: 'text', content: whole }],
    metadata: { run_id: runId, status: 'COMPLETED' },
  })
  expect(others).toEqual([])
  const entries = await daemon.entriesOf(runId)
  expect(endsIn(entries)).toMatchObject([{ entry_type: 'run.completed' }])
  expect(entries.map(({ entry_type }) => entry_type)).toEqual([
    'chat.user_message',
    'run.started',
    'exec.command',
    'run.session_init',
    'exec.command',
    'chat.agent_response',
    'run.completed',
  ])
  expect((await daemon.client.agents.show({ agentId })).status).toBe('IDLE')
}

describe.each([
  ['a local process', local, client.missing as string | false],
  ['a container', containers, noContainers],
])('a run in %s', (_, place, missing) => {
  let installation = ''

  describe.skipIf(missing)('whose daemon is gone', () => {
    beforeAll(async () => {
      await open(place)
      await daemon.client.crews.start({ crewId })
      if (place === containers)
        installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
    })
    afterAll(() => close(installation))

    it('goes on, and is told in whole by the next ones', async () => {
      const { chatId, runId, seen } = await begun(10)
      await daemon.kill()
      allow(16)
      await daemon.start()
      seen.push(...(await read(chatId, { after: last(seen), count: 6 })))
      await daemon.kill()
      await daemon.start()
      allow(20)
      seen.push(...(await read(chatId, { after: last(seen), count: 4 })))
      expect(await daemon.stop()).toBe(0)
      allow(24)
      await daemon.start()
      allow(30)
      seen.push(...(await read(chatId, { after: last(seen) })))
      await expectWhole(chatId, runId, seen)
    })

    it('ends meanwhile, and is told in whole by the next one', async () => {
      const { chatId, runId, seen } = await begun(10)
      const ended = await place.ended({ runId })
      await daemon.kill()
      allow(30)
      await ended()
      await daemon.start()
      seen.push(...(await read(chatId, { after: last(seen) })))
      await expectWhole(chatId, runId, seen)
    })

    it('is ended by the next one when somebody wishes so', async () => {
      const { chatId, runId } = await begun(10)
      await daemon.kill()
      expect(await place.left(runId)).not.toEqual([])
      await daemon.start()
      await daemon.client.chats.cancel({ chatId })
      await read(chatId, { after: 1 })
      expect(await place.left(runId)).toEqual([])
      expect(endsIn(await daemon.entriesOf(runId))).toMatchObject([{ entry_type: 'run.cancelled', actor_type: 'user' }])
    })
  })
})

describe.skipIf(noContainers)('a container', () => {
  let installation = ''
  const rowOf = (crew: string) => {
    const db = new Database(join(daemon.dataDir, 'muster.db'), { readonly: true })
    try {
      return db.prepare('SELECT desired, observed FROM crew_containers WHERE crew_id = ?').get(crew)
    } finally {
      db.close()
    }
  }

  beforeAll(() => open(containers))
  afterAll(() => close(installation))

  it('has an owner before it is there, and a daemon that dies while it is made leaves none without', async () => {
    allow(30)
    const chatId = await daemon.openChat(agentId)
    let row: unknown
    let killed = () => {}
    const dead = new Promise<void>((resolve) => {
      killed = resolve
    })
    const heard = await onEngineEvent(async ({ Type, Action, Actor: { Attributes } }) => {
      if (Type !== 'container' || Action !== 'create' || Attributes['svc.crew-id'] !== crewId || row) return
      row = rowOf(crewId)
      installation = Attributes['svc.installation']!
      await daemon.kill()
      killed()
    })
    const runId = await daemon.say(chatId, 'Count to 30.')
    await dead
    heard.close()
    expect(row).toEqual({ desired: 'running', observed: 'creating' })
    await daemon.start()
    expect(spoken(await read(chatId, { after: 1 }))).toBe(whole)
    expect(endsIn(await daemon.entriesOf(runId))).toMatchObject([{ entry_type: 'run.completed' }])
    expect((await belongings(installation)).length).toBe(9)
  })

  it('is removed by the next daemon when no row owns it any more; its volumes stay', async () => {
    const [{ id: lastEventId = '' } = {}] = (await daemon.client.journal.list({ query: { limit: 1 } })).entries
    await daemon.kill()
    const db = new Database(join(daemon.dataDir, 'muster.db'))
    db.prepare('DELETE FROM crew_containers WHERE crew_id = ?').run(crewId)
    db.close()
    await daemon.start()
    for await (const { data } of events(daemon.connection, '/api/v1/journal/stream?entry_type=container.reaped', {
      lastEventId,
    })) {
      expect(JSON.parse(data)).toMatchObject({
        severity: 'warn',
        actor_type: 'orchestrator',
        payload: { crew_id: crewId },
      })
      break
    }
    expect(await belongings(installation)).toEqual(
      ['crew', 'output', 'spool', 'workspace'].map((it) => `muster-restart-${crewId}-${it}`),
    )
  })
})
