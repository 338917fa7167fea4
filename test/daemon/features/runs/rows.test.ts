import { beforeAll, describe, expect, it } from 'vitest'
import type { App } from '#kernel/app'
import type { Runs } from '#kernel/runs'
import { daemon, type TestDaemon } from '#test'
import { endRun, settleParking } from '../../../../daemon/features/runs/endings/service.ts'
import {
  leftRuns,
  markDiscarded,
  markLaunching,
  markRunning,
  noteSession,
  skipFrames,
  startOver,
} from '../../../../daemon/features/runs/programs/service.ts'
import {
  busy,
  findRun,
  historyOfAgent,
  openRuns,
  parkRun,
  resumeRun,
  runsOfAgent,
  runsOfCrew,
  wishCancel,
  workingOfAgent,
  workingOfCrew,
} from '../../../../daemon/features/runs/service.ts'
import { beginMadeUp } from '../../../support/made-up-source.ts'
import { rawEntry } from '../../../support/raw-entry.ts'

type Row = Record<string, number | string | null>
const command = { cmd: 'client --print' }
const person = { type: 'user', id: 'cada' } as never

let place: TestDaemon
let app: App
let made = 0
beforeAll(async () => {
  place = await daemon({ shared: true })
  app = place.app
  app.runs = { available: true, cancel: () => undefined } as Partial<Runs> as Runs
})

async function agent() {
  const slug = `a${++made}`
  const crew = (await place.call('OWNER', 'POST', '/crews', { name: slug, slug })).body.id as string
  const { body } = await place.call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id: crew })
  return { id: body.id as string, crew }
}
const row = (id: string) => app.db.prepare<[string], Row>('SELECT * FROM runs WHERE id = ?').get(id)!
async function run(more: Row = {}, agentId?: string): Promise<string> {
  const id = await beginMadeUp(place, agentId ?? (await agent()).id)
  const names = Object.keys(more).map((name) => `${name} = @${name}`)
  if (names.length) app.db.prepare(`UPDATE runs SET ${names} WHERE id = @id`).run({ ...more, id })
  return id
}
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const typesOf = (id: string) =>
  place
    .entries()
    .filter(({ trace_id, entry_type }) => trace_id === id && entry_type !== 'run.started')
    .map(({ entry_type }) => entry_type)

const running = { phase: 'running', launched_at: 1, output_frame: 5, launch_json: '{}' }
const parked = { phase: 'parked', launch_json: '{}' }
const ending = {
  outcome: 'COMPLETED',
  agentStatus: null,
  exitCode: 0,
  reason: null,
  metadata: {},
  message: null,
  command: null,
  lastFrame: 7,
} as const

/** What is done to a run, in which phase, what it changes, and in which phase it changes nothing. */
const changes: [name: string, before: Row, act: (id: string) => unknown, after: Row, never: Row][] = [
  [
    'launched',
    { phase: 'queued' },
    (id) => markLaunching(app, id, { frame: 4, facts: { agent: 'ada' }, command, overflow: null }),
    { phase: 'launching', output_frame: 4, launch_json: '{"agent":"ada"}' },
    { phase: 'running' },
  ],
  ['running', { phase: 'launching' }, (id) => markRunning(app, id), { phase: 'running' }, { phase: 'parking' }],
  [
    'started over',
    running,
    (id) => startOver(app, id, 9),
    { phase: 'queued', attempt: 1, first_frame: 9, output_frame: null, launch_json: null, launched_at: null },
    { ...running, cancelled_at: 1 },
  ],
  ['numbered on', { phase: 'queued' }, (id) => skipFrames(app, id, 1001), { first_frame: 1001 }, running],
  ['parking', running, (id) => parkRun(app, id), { phase: 'parking' }, { ...running, cancelled_at: 1 }],
  [
    'parked',
    { ...running, phase: 'parking' },
    (id) => settleParking(app, id, { exitCode: 0, message: null, command: null, lastFrame: 7, metadata: {} }),
    { phase: 'parked', launched_at: null, last_frame: 7 },
    running,
  ],
  [
    'resumed',
    { ...parked, last_frame: 7 },
    (id) => resumeRun(app, id, { actor: person, message: 'm1' }),
    { phase: 'queued', attempt: 1, source: 'made-up', source_id: 'm1', first_frame: 8, output_frame: null },
    parked,
  ],
  [
    'ended',
    running,
    (id) => endRun(app, id, ending),
    { phase: 'ended', outcome: 'COMPLETED', last_frame: 7 },
    { ...running, phase: 'ended' },
  ],
  ['wished to end', running, (id) => wishCancel(app, id, 'cada'), { cancelled_by: 'cada' }, { phase: 'ended' }],
  ['discarded', { phase: 'ended' }, (id) => markDiscarded(app, id), { discarded: 1 }, { phase: 'ended', discarded: 1 }],
  [
    'noted',
    running,
    (id) => noteSession(app, findRun(app, id)!, { model: 'm1' } as never, null),
    { init_noted: 1 },
    { init_noted: 1 },
  ],
]

describe('a run', () => {
  it('that is wished to end twice keeps when and by whom it was first, and says whether that was new', async () => {
    const id = await run({ phase: 'running' })
    const cancel = async (role: 'OWNER' | 'ADMIN') => {
      const { status, headers } = await place.call(role, 'POST', `/runs/${id}/cancel`)
      return [status, headers['muster-unchanged']]
    }
    expect([await cancel('OWNER'), await cancel('ADMIN')]).toEqual([
      [202, undefined],
      [202, 'true'],
    ])
    expect(row(id)['cancelled_by']).toBe(place.person('OWNER').userId)
  })

  it('that is noted is known by the session that its client chose', async () => {
    const launch = (session: unknown) => JSON.stringify({ adapter: 'X', session })
    const id = await run({ phase: 'running', launch_json: launch({ id: 'ours', program: 'p', resumed: false }) })
    await app.write(() => noteSession(app, findRun(app, id)!, { model: 'm1' } as never, 'theirs'))
    expect(row(id)['launch_json']).toBe(launch({ id: 'theirs', program: 'p', resumed: false }))
    const other = await run({ phase: 'running', launch_json: launch(null) })
    await app.write(() => noteSession(app, findRun(app, other)!, { model: 'm1' } as never, 'theirs'))
    expect(row(other)['launch_json']).toBe(launch(null))
  })

  it.each(changes)('that is %s leaves others as they are', async (_, before, act, after, never) => {
    const [one, other] = [await run(before), await run(before)]
    const untouched = row(other)
    app.writeNow(() => act(one))
    expect(row(one)).toMatchObject(after)
    expect(row(other)).toEqual(untouched)
    const late = await run(never)
    if (never === parked) return
    const same = row(late)
    app.writeNow(() => act(late))
    expect(row(late)).toEqual(same)
  })

  it('that was not parked is not resumed', async () => {
    const id = await run(running)
    expect(() => app.writeNow(() => resumeRun(app, id, { actor: person, message: 'm1' }))).toThrow(
      `The run ${id} is not parked`,
    )
  })

  it('that waits for a person ends at once when that is wished, as cancelled', async () => {
    const id = await run({ ...parked, last_frame: 3 })
    const ended = app.writeNow(() => wishCancel(app, id, 'cada'))
    expect(ended).toMatchObject({ id, phase: 'parked' })
    expect(row(id)).toMatchObject({ phase: 'ended', outcome: 'CANCELLED', last_frame: 3 })
    expect(
      place
        .entries()
        .filter(({ trace_id }) => trace_id === id)
        .at(-1),
    ).toMatchObject({
      entry_type: 'run.cancelled',
      actor_type: 'user',
      actor_id: 'cada',
      payload: { error_message: 'Cancelled' },
    })
    expect(app.writeNow(() => wishCancel(app, id, 'cada'))).toBeNull()
  })

  it('keeps who wished first that it ends', async () => {
    const id = await run(running)
    app.writeNow(() => wishCancel(app, id, 'cada'))
    app.writeNow(() => wishCancel(app, id, 'cbob'))
    expect(row(id)['cancelled_by']).toBe('cada')
  })
})

describe('the runs of an agent and of a crew', () => {
  it('are its own that have not ended; those that wait for a person do not work', async () => {
    const [mine, other] = [await agent(), await agent()]
    const working = await run(running, mine.id)
    const waiting = await run(parked, mine.id)
    const ended = await run({ phase: 'ended' }, mine.id)
    const foreign = await run(running, other.id)
    expect([ids(runsOfAgent(app, mine.id)).sort(), ids(runsOfCrew(app, mine.crew)).sort()]).toEqual([
      [working, waiting].sort(),
      [working, waiting].sort(),
    ])
    expect([ids(workingOfAgent(app, mine.id)), ids(workingOfCrew(app, mine.crew))]).toEqual([[working], [working]])
    const open = ids(openRuns(app))
    expect([working, waiting, foreign, ended].map((id) => open.includes(id))).toEqual([true, true, true, false])
  })

  it('have left a spool once they have ended, until it is discarded', async () => {
    const [mine, other] = [await agent(), await agent()]
    const left = { phase: 'ended', launch_json: '{}' }
    const spool = await run(left, mine.id)
    await run({ ...left, discarded: 1 }, mine.id)
    await run({ phase: 'ended' }, mine.id)
    await run(running, mine.id)
    await run(left, other.id)
    expect(ids(leftRuns(app, mine.crew))).toEqual([spool])
  })

  it('began and ended, latest first, as many as asked for', async () => {
    const { id: mine } = await agent()
    const first = await run({ created_at: 1, phase: 'ended', ended_at: 5, outcome: 'TIMEOUT', tokens: 3 }, mine)
    const second = await run({ created_at: 5 }, mine)
    await run({ created_at: 9 })
    const lines = [
      { at: 5, event: 'run.timeout', run: first, tokens: 3 },
      { at: 5, event: 'run.started', run: second, tokens: null },
      { at: 1, event: 'run.started', run: first, tokens: null },
    ]
    expect(historyOfAgent(app, mine, 9)).toEqual(lines)
    expect(historyOfAgent(app, mine, 2)).toEqual(lines.slice(0, 2))
  })
})

describe('a chat that is busy', () => {
  it('names the run and, while it waits for a person, the item in the inbox', async () => {
    const id = await run({ ...parked, stream: 'chat-1', triggered_by: 'cada' })
    const note = (type: string, payload: object) =>
      app.writeNow(() =>
        rawEntry(app, {
          type,
          summary: type,
          workspace_id: place.workspace,
          trace_id: id,
          actor_type: 'sidecar',
          payload,
        } as never),
      )
    note('run.parked', { inbox_item_id: 'item-1' })
    expect(busy(app, 'chat-1', 'Busy')).toMatchObject({
      code: 'chat_busy',
      message: 'The agent waits for an answer to its question in the inbox',
      extra: { run_id: id, triggered_by: 'cada', inbox_item_id: 'item-1' },
    })
    app.db.prepare("UPDATE runs SET phase = 'running' WHERE id = ?").run(id)
    const working = busy(app, 'chat-1', 'Busy')
    expect(working.message).toBe('Busy')
    expect(working.extra).toEqual({ run_id: id, triggered_by: 'cada' })
  })
})

describe('the record of a run', () => {
  it('takes nothing after its end, nor what is said of another', async () => {
    const [one, other] = [await run(running), await run(running)]
    const show = async (id: string) => (await place.call('OWNER', 'GET', `/runs/${id}`)).body
    const before = await show(other)
    const init = (model: string) =>
      app.writeNow(() =>
        rawEntry(app, {
          type: 'run.session_init',
          summary: 'init',
          workspace_id: place.workspace,
          trace_id: one,
          actor_type: 'sidecar',
          payload: { model },
        } as never),
      )
    init('m1')
    expect(await show(one)).toMatchObject({ model: 'm1', status: 'RUNNING' })
    app.writeNow(() => endRun(app, one, ending))
    init('m2')
    expect(await show(one)).toMatchObject({ model: 'm1', status: 'COMPLETED' })
    expect(await show(other)).toEqual(before)
    expect(typesOf(other)).toEqual([])
  })
})

describe('the record of a run that an entry tells oddly', () => {
  /** Records it for a run that nothing else is known of, and shows that run. */
  async function told(type: string, payload: Record<string, unknown>) {
    const trace_id = `odd-${++made}`
    const note = (type: string, payload: object) =>
      rawEntry(app, { type, summary: type, workspace_id: place.workspace, trace_id, payload } as never)
    app.writeNow(() => {
      if (type !== 'run.started') note('run.started', {})
      note(type, payload)
    })
    return app.db
      .prepare<[string], Row>(
        'SELECT chat_id, trigger_type, status, error_message, exit_code FROM run_records WHERE id = ?',
      )
      .get(trace_id)!
  }

  it.each([
    [
      { chat_id: 'chat-1', trigger_type: 'CHAT' },
      { chat_id: 'chat-1', trigger_type: 'CHAT' },
    ],
    [
      { chat_id: 7, trigger_type: 7 },
      { chat_id: null, trigger_type: 'USER' },
    ],
    [
      { chat_id: '', trigger_type: '' },
      { chat_id: null, trigger_type: 'USER' },
    ],
    [{}, { chat_id: null, trigger_type: 'USER' }],
  ])('takes of %j only texts', async (payload, shown) =>
    expect(await told('run.started', payload)).toMatchObject(shown),
  )

  it.each([
    ['run.failed', { error_message: 'boom', exit_code: 3 }, { status: 'FAILED', error_message: 'boom', exit_code: 3 }],
    ['run.timeout', { error_message: 7, exit_code: 1.5 }, { status: 'TIMEOUT', error_message: null, exit_code: null }],
    ['run.cancelled', { exit_code: '3' }, { status: 'CANCELLED', error_message: null, exit_code: null }],
    ['run.completed', { exit_code: 0 }, { status: 'COMPLETED', exit_code: 0 }],
  ])('ends it by %s with %j', async (type, payload, shown) => expect(await told(type, payload)).toMatchObject(shown))
})

describe('the confidence of an agent', () => {
  async function report(more: object = {}) {
    const { id, crew } = await agent()
    const headers = { 'x-internal-token': app.internalTokens.ofCrew(place.workspace, crew) }
    const body = { workspace_id: place.workspace, crew_id: crew, agent_id: id, confidence: 0.4, ...more }
    const reply = await place.call(null, 'POST', '/internal/report-confidence', body, headers)
    return { id, crew, reply, entry: place.entries().find((it) => it.id === reply.body.id) }
  }

  it('is on record with its reason and run, where they are told', async () => {
    const plain = await report()
    expect(plain.reply.status).toBe(202)
    expect(plain.entry).toMatchObject({
      entry_type: 'run.confidence',
      severity: 'info',
      crew_id: plain.crew,
      agent_id: plain.id,
    })
    expect([plain.entry!.payload, plain.entry!.trace_id]).toEqual([{ confidence: 0.4 }, undefined])
    const { entry } = await report({ reason: 'A guess', run_id: 'r1', confidence: 0.39 })
    expect(entry).toMatchObject({ severity: 'warn', trace_id: 'r1' })
    expect(entry!.payload).toEqual({ confidence: 0.39, reason: 'A guess' })
  })

  it('of an agent that is deleted or unknown is refused', async () => {
    const { id } = await agent()
    app.db.prepare('UPDATE agents SET deleted_at = ? WHERE id = ?').run(app.now(), id)
    for (const agent_id of [id, 'none'])
      expect((await report({ agent_id })).reply.body).toMatchObject({ code: 'not_found', field: 'agent_id' })
    expect((await place.call('OWNER', 'GET', `/agents/${id}/runs`)).body).toMatchObject({ code: 'not_found' })
  })
})
