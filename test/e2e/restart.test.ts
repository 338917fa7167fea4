import { once } from 'node:events'
import { existsSync, watch as watchFolder } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { events } from '#client/events'
import type { RunFrame } from '#contract/frames'
import { survivors } from '../support/agent-client.ts'
import { belongings, bridgeAddress, containerOf, engineMissing, onEngineEvent, processesOf, removeInstallation } from '../support/engine.ts'
import { endsIn, type Installation, install, spoken } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

const host = await bridgeAddress()
const missing = engineMissing || (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const numbers = Array.from({ length: 30 }, (_, n) => `${n + 1} `)
const whole = numbers.join('')

/** Where agents run, and what a test can see of a run there without a daemon. */
interface Place {
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

const local: Place = {
  settings: () => ({
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_CLAUDE_COMMAND: new URL('../../templates/demo/claude-stand-in/claude', import.meta.url).pathname,
  }),
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
  settings: () => ({ SVC_CONTAINER_PREFIX: 'muster-restart', SVC_ANTHROPIC_URL: model.url, SVC_CONTAINER_MEMORY_MB: '2048' }),
  async ended() {
    const { id } = await containerOf(crewId)
    let over = () => {}
    const gone = new Promise<void>((resolve) => {
      over = resolve
    })
    const heard = await onEngineEvent(({ Action, Actor }) => Action === 'exec_die' && Actor.ID === id && over())
    return () => gone.finally(() => heard.close())
  },
  left: async () => (await processesOf(await containerOf(crewId), [20001])).filter((it) => !/^(runc init|rm -rf -- \/spool\/)/.test(it)),
}

beforeAll(async () => {
  if (host) model = await modelEndpoint(() => ({ text: numbers, gapMs: 100 }), { host })
})
afterAll(() => model?.close())

/** Reads a chat until so many words came; the frames, none of them before `after`. */
async function read(chatId: string, { after = 0, words = Number.POSITIVE_INFINITY, begin = async () => {} }): Promise<RunFrame[]> {
  const frames: RunFrame[] = []
  for await (const line of daemon.watch(chatId, { last_seq: after, follow: true })) {
    if (line.type === 'stream.open') await begin()
    if (!('seq' in line)) continue
    frames.push(line)
    if (line.type === 'done' || frames.filter(({ type }) => type === 'text').length >= words) break
  }
  return frames
}

/** Begins a run and reads its first words. */
async function begun(words: number): Promise<{ chatId: string; runId: string; seen: RunFrame[] }> {
  const chatId = await daemon.openChat(agentId)
  let runId = ''
  const begin = async () => {
    runId = await daemon.say(chatId, 'count slowly to 30')
  }
  const seen = await read(chatId, { words, begin })
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
  ['a local process', local, false as string | false],
  ['a container', containers, missing],
])('a run in %s', (_, place, missing) => {
  let installation = ''

  describe.skipIf(missing)('whose daemon is gone', () => {
    beforeAll(async () => {
      daemon = await install(place.settings())
      const { client } = daemon
      crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
      await client.credentials.create({ body: { name: 'key', value: 'sk-ant-api03-restart', type: 'API_KEY', provider: 'ANTHROPIC' } })
      agentId = (await client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
      await client.crews.start({ crewId })
      if (place === containers) installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
    })
    afterAll(async () => {
      await daemon?.remove()
      if (installation) await removeInstallation(installation)
    })

    it('goes on, and is told in whole by the next ones', async () => {
      const { chatId, runId, seen } = await begun(5)
      await daemon.kill()
      await daemon.start()
      seen.push(...(await read(chatId, { after: last(seen), words: 7 })))
      await daemon.kill()
      await daemon.start()
      seen.push(...(await read(chatId, { after: last(seen), words: 7 })))
      expect(await daemon.stop()).toBe(0)
      await daemon.start()
      seen.push(...(await read(chatId, { after: last(seen) })))
      await expectWhole(chatId, runId, seen)
    })

    it('ends meanwhile, and is told in whole by the next one', async () => {
      const { chatId, runId, seen } = await begun(5)
      const ended = await place.ended({ runId })
      await daemon.kill()
      await ended()
      await daemon.start()
      seen.push(...(await read(chatId, { after: last(seen) })))
      await expectWhole(chatId, runId, seen)
    })

    it('is ended by the next one when somebody wishes so', async () => {
      const { chatId, runId } = await begun(3)
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

describe.skipIf(missing)('a container', () => {
  let installation = ''
  const rowOf = (crew: string) => {
    const db = new Database(join(daemon.dataDir, 'muster.db'), { readonly: true })
    try {
      return db.prepare('SELECT desired, observed FROM crew_containers WHERE crew_id = ?').get(crew)
    } finally {
      db.close()
    }
  }

  beforeAll(async () => {
    daemon = await install(containers.settings())
    await daemon.client.credentials.create({ body: { name: 'key', value: 'sk-ant-api03-restart', type: 'API_KEY', provider: 'ANTHROPIC' } })
    crewId = (await daemon.client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
    agentId = (await daemon.client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
  })
  afterAll(async () => {
    await daemon?.remove()
    if (installation) await removeInstallation(installation)
  })

  it('has an owner before it is there, and a daemon that dies while it is made leaves none without', async () => {
    const chatId = await daemon.openChat(agentId)
    let runId = ''
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
    runId = await daemon.say(chatId, 'count slowly to 30')
    await dead
    heard.close()
    expect(row).toEqual({ desired: 'running', observed: 'creating' })
    await daemon.start()
    const frames = await read(chatId, { after: 1 })
    expect(spoken(frames)).toBe(whole)
    expect(endsIn(await daemon.entriesOf(runId))).toMatchObject([{ entry_type: 'run.completed' }])
    expect((await belongings(installation)).length).toBe(7)
  })

  it('is removed by the next daemon when no row owns it any more; its volumes stay', async () => {
    const [{ id: lastEventId = '' } = {}] = (await daemon.client.journal.list({ query: { limit: 1 } })).entries
    await daemon.kill()
    const db = new Database(join(daemon.dataDir, 'muster.db'))
    db.prepare('DELETE FROM crew_containers WHERE crew_id = ?').run(crewId)
    db.close()
    await daemon.start()
    for await (const { data } of events(daemon.connection, '/api/v1/journal/stream?entry_type=container.reaped', { lastEventId })) {
      expect(JSON.parse(data)).toMatchObject({ severity: 'warn', actor_type: 'orchestrator', payload: { crew_id: crewId } })
      break
    }
    const left = await belongings(installation)
    expect(left).toEqual(['crew', 'output', 'spool', 'workspace'].map((it) => `muster-restart-${crewId}-${it}`))
  })
})
