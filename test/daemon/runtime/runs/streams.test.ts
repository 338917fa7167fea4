import { afterEach, expect, it, vi } from 'vitest'
import { LiveStream } from '../../../../daemon/runtime/runs/live-stream.ts'
import { result, says } from '../../../support/claude-lines.ts'
import type { FakeRuntime } from '../../../support/fake-runtime.ts'
import { type Workplace, workplace } from '../../../support/runs.ts'

type Place = Workplace<FakeRuntime>
afterEach(() => void vi.restoreAllMocks())

const look = (it: Place, name: string) =>
  it.runs.watch(name, 0, { user: 'ada', frame: () => undefined, closed: () => undefined })

/** What somebody is shown who comes late, and leaves. */
function shown(it: Place, name: string): string[] {
  const { replay, close } = look(it, name)
  close()
  return replay.map(({ type }) => type)
}

/** A chat in which the agent has said something. */
async function said(it: Place, chat: string, n = 0) {
  const { run_id } = await it.send(chat, 'Work')
  const program = await it.runtime.program(n)
  it.runtime.print(program, says('Done'), result())
  await expect.poll(() => shown(it, chat)).toContain('text')
  it.runtime.finish(program)
  await it.runs.ended(run_id)
  return run_id
}

/** The timers that let the frames of ended runs go: they can be rung, and know whether they were cleared. */
function expiries() {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  return () =>
    timers.mock.calls.flatMap(([ring, ms], n) => {
      const timer = timers.mock.results[n]!.value as NodeJS.Timeout
      const isCleared = cleared.mock.calls.some(([it]) => it === timer)
      return ms === 120_000 ? [{ ring: ring as () => void, timer, isCleared }] : []
    })
}

it('the frames of a run are kept for two minutes after it, whoever looks on meanwhile', async () => {
  const it = await workplace()
  const timers = expiries()
  const chat = await it.openChat()
  await said(it, chat)
  await expect.poll(() => timers()).toHaveLength(1)
  const [expiry] = timers()
  expect([expiry!.isCleared, expiry!.timer.hasRef()]).toEqual([false, false])
  const whole = ['user_message', 'status', 'status', 'text', 'done']
  expect(shown(it, chat).filter((type) => whole.includes(type))).toEqual(whole)
  expect(shown(it, chat)).toContain('text')
  const before = look(it, chat)
  expiry!.ring()
  expect(before).toMatchObject({ active: false })
  expect(it.runs.isWatched(chat, 'ada')).toBe(true)
  expect(shown(it, chat)).toEqual([])
  expect(look(it, chat).lastSeq).toBe(before.lastSeq)
})

it('the next run of the chat takes their place', async () => {
  const it = await workplace()
  const timers = expiries()
  const chat = await it.openChat()
  await said(it, chat)
  await expect.poll(() => timers()).toHaveLength(1)
  const { run_id } = await it.send(chat, 'More')
  const program = await it.runtime.program(1)
  expect(timers()[0]!.isCleared).toBe(true)
  it.runtime.finish(program)
  await it.runs.ended(run_id)
  await expect.poll(() => timers()).toHaveLength(2)
  await it.runs.close()
  expect(timers().map(({ isCleared }) => isCleared)).toEqual([true, true])
})

it('streams that nobody needs are forgotten, the others closed with the daemon', async () => {
  const it = await workplace()
  const timers = expiries()
  const chat = await it.openChat()
  await said(it, chat)
  await expect.poll(() => timers()).toHaveLength(1)
  expect([it.runs.isWatched('idle', 'ada'), it.runs.isWatched(chat, 'ada')]).toEqual([false, false])
  const kept = look(it, 'kept')
  shown(it, 'idle')
  timers()[0]!.ring()
  const closed = vi.spyOn(LiveStream.prototype, 'close')
  expect(it.runs.isWatched('kept', 'ada')).toBe(true)
  await it.runs.close()
  expect(closed).toHaveBeenCalledTimes(1)
  kept.close()
})

it('a stream is forgotten with its chat: who watches is told', async () => {
  const it = await workplace()
  const chat = await it.openChat()
  const closed = vi.fn()
  it.runs.watch(chat, 0, { user: 'ada', frame: () => undefined, closed })
  it.runs.forget(chat)
  it.runs.forget('none')
  expect(closed).toHaveBeenCalledTimes(1)
  expect(it.runs.isWatched(chat, 'ada')).toBe(false)
})

it('files and leftovers are asked of the place where an agent works, or of none', async () => {
  const it = await workplace()
  it.runtime.files.set('src/a.txt', 'Hello')
  const list = vi.spyOn(it.runtime, 'listFiles')
  expect(await it.runs.listFiles(it.agentId, 'src', true)).toMatchObject([{ path: 'src/a.txt', size: 5 }])
  expect(list.mock.calls).toEqual([[it.crewId, expect.objectContaining({ slug: 'ada' }), 'src', true]])
  expect(String(await it.runs.readFile(it.agentId, 'src/a.txt'))).toBe('Hello')
  expect([await it.runs.listFiles('none', 'src', true), await it.runs.readFile('none', 'src/a.txt')]).toEqual([
    [],
    null,
  ])
  await it.runs.endLeft('none')
  expect(it.runtime.left).toEqual([])
  await it.runs.endLeft(it.agentId)
  expect(it.runtime.left).toEqual([undefined])
})

it('what ended runs left is discarded once their crew is up again', async () => {
  const it = await workplace({ quiet: true })
  vi.spyOn(it.runtime, 'discardRun').mockRejectedValueOnce(new Error('not now'))
  const chat = await it.openChat()
  const first = await said(it, chat)
  expect(it.runtime.discarded).toEqual([])
  const second = await said(it, chat, 1)
  expect(it.runtime.discarded).toEqual([first, second])
})

it('a run that is resumed while its program is being ended begins once that is over', async () => {
  const it = await workplace()
  const chat = await it.openChat()
  const { run_id } = await it.send(chat, 'Work')
  const program = await it.runtime.program()
  const resumed = { entry: { entry_type: 'run.resumed', trace_id: run_id } }
  const over = it.runs.ended(run_id)
  it.app.bus.emit('entry', resumed as never)
  vi.spyOn(it.runtime, 'discardRun').mockImplementationOnce(async () => {
    it.app.db.prepare("UPDATE runs SET phase = 'queued', attempt = 1 WHERE id = ?").run(run_id)
  })
  it.runtime.finish(program)
  await over
  const next = await it.runtime.program(1)
  expect(next.spec.runId).toBe(`${run_id}-1`)
})

it('only the runs of its crew are told how a crew comes up', async () => {
  const it = await workplace()
  it.app.runtime.start = () => new Promise(() => undefined)
  const chat = await it.openChat()
  await it.send(chat, 'Work')
  const frames: object[] = []
  it.runs.watch(chat, null, {
    user: 'ada',
    frame: ({ body }) => frames.push(JSON.parse(body)),
    closed: () => undefined,
  })
  const tell = (entry_type: string, crew_id: string | undefined, summary: string) =>
    it.app.bus.emit('entry', { entry: { entry_type, crew_id, summary } } as never)
  tell('provisioning.step', 'other', 'not theirs')
  tell('provisioning.step', undefined, 'nobody’s')
  tell('crew.updated', it.crewId, 'something else')
  tell('provisioning.step', it.crewId, 'Container started')
  tell('provisioning.started', it.crewId, 'Image is built')
  expect(frames).toEqual([
    { type: 'status', content: 'Container started' },
    {
      type: 'crew_provisioning',
      content: 'Image is built',
      metadata: { crew_id: it.crewId, crew_slug: 'backend', status: 'started' },
    },
  ])
})
