import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Runs, Said } from '#kernel/runs'
import { daemon, fixedClock, type TestDaemon } from '#test'
import { type Ending, endRun, type Parked, settleParking } from '../../../../daemon/features/runs/endings/service.ts'
import { beginMadeUp, madeUp } from '../../../support/made-up-source.ts'

const ending: Ending = {
  outcome: 'COMPLETED',
  agentStatus: 'IDLE',
  exitCode: 0,
  reason: null,
  metadata: { input_tokens: 3, output_tokens: 4 },
  message: null,
  command: null,
  lastFrame: 9,
}
const parked: Parked = { exitCode: 0, message: null, command: null, lastFrame: 9, metadata: { input_tokens: 1 } }
const command = { cmd: 'client --print' }
const said = (content: string, role: Said['role'] = 'assistant'): Said => ({ role, content })

let place: TestDaemon
let crewId: string
let agents = 0
const steady = fixedClock('1970-01-01T00:00:05.000Z')
beforeAll(async () => {
  place = await daemon({ shared: true, steady })
  place.app.runs = { available: true } as Runs
  crewId = (await place.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })).body.id
})
afterEach(() => void vi.restoreAllMocks())

const agent = async (): Promise<string> => {
  const slug = `agent-${++agents}`
  const { body } = await place.call('OWNER', 'POST', '/agents', { name: slug, slug, crew_id: crewId })
  place.app.db.prepare("UPDATE agents SET status = 'RUNNING' WHERE id = ?").run(body.id)
  return body.id
}
const change = (id: string, more: Record<string, number | string | null>) =>
  place.app.db
    .prepare(`UPDATE runs SET ${Object.keys(more).map((name) => `${name} = @${name}`)} WHERE id = @id`)
    .run({ ...more, id })

/** A run whose program has worked for two seconds. */
async function run(more: Record<string, number | string | null> = {}, agentId?: string): Promise<string> {
  const id = await beginMadeUp(place, agentId ?? (await agent()))
  change(id, { phase: 'running', launched_at: 3000, ...more })
  return id
}
const end = (id: string, more: Partial<Ending> = {}) =>
  place.app.writeNow(() => endRun(place.app, id, { ...ending, ...more }))
const park = (id: string, more: Partial<Parked> = {}) =>
  place.app.writeNow(() => settleParking(place.app, id, { ...parked, ...more }))
const row = (id: string) =>
  place.app.db.prepare<[string], Record<string, unknown>>('SELECT * FROM runs WHERE id = ?').get(id)!
const statusOf = (id: string) =>
  place.app.db
    .prepare<[string], string>('SELECT a.status FROM agents a JOIN runs r ON r.agent_id = a.id WHERE r.id = ?')
    .pluck()
    .get(id)
const entries = (id: string, type?: string) =>
  place
    .entries()
    .filter(
      ({ trace_id, entry_type }) =>
        trace_id === id && entry_type !== 'run.started' && (type ?? entry_type) === entry_type,
    )

describe('the end of a run', () => {
  it('is stored, recorded and told once', async () => {
    const id = await run()
    const told = vi.spyOn(place.app, 'broadcast')
    expect(end(id)).toBe(true)
    expect(row(id)).toMatchObject({ phase: 'ended', outcome: 'COMPLETED', tokens: 7, last_frame: 9 })
    expect(
      entries(id).map(({ entry_type, severity, actor_type, payload }) => ({
        entry_type,
        severity,
        actor_type,
        payload,
      })),
    ).toEqual([
      {
        entry_type: 'run.completed',
        severity: 'info',
        actor_type: 'orchestrator',
        payload: { exit_code: 0, metadata: { duration_ms: 2000, input_tokens: 3, output_tokens: 4 } },
      },
    ])
    expect(told.mock.calls.map(([event]) => event)).toContainEqual(
      expect.objectContaining({
        type: 'run.completed',
        payload: expect.objectContaining({ run_id: id, status: 'COMPLETED', duration_ms: 2000 }),
      }),
    )
    expect(statusOf(id)).toBe('IDLE')
    expect(end(id, { outcome: 'FAILED' })).toBe(false)
    expect(entries(id)).toHaveLength(1)
  })

  it('is none of what does not exist', () => expect([end('none'), park('none')]).toEqual([false, false]))

  it('says why it failed, as severe as stated, and leaves the agent in error', async () => {
    const id = await run()
    const told = vi.spyOn(place.app, 'broadcast')
    end(id, {
      outcome: 'FAILED',
      reason: 'No key',
      exitCode: 3,
      agentStatus: 'ERROR',
      severity: 'warn',
      payload: { reason: 'server_restart' },
    })
    expect(entries(id)).toMatchObject([
      {
        entry_type: 'run.failed',
        severity: 'warn',
        payload: { exit_code: 3, error_message: 'No key', reason: 'server_restart' },
      },
    ])
    expect(told.mock.calls.map(([event]) => event)).toContainEqual(
      expect.objectContaining({
        type: 'run.failed',
        payload: expect.objectContaining({ status: 'FAILED', error: 'No key', error_message: 'No key' }),
      }),
    )
    expect(statusOf(id)).toBe('ERROR')
  })

  it('has no error message when the run was completed, and no exit code when there was none', async () => {
    const id = await run()
    const told = vi.spyOn(place.app, 'broadcast')
    end(id, { reason: 'Ignored', exitCode: null, metadata: {}, agentStatus: null })
    expect(entries(id)[0]!.payload).toEqual({ metadata: { duration_ms: 2000 } })
    const event = told.mock.calls.map(([it]) => it).find(({ type }) => type === 'run.completed')
    expect(event!.payload).not.toHaveProperty('error')
    expect([row(id)['tokens'], statusOf(id)]).toEqual([null, 'RUNNING'])
  })

  it.each<[outcome: Ending['outcome'], cancelled: boolean, actor: string]>([
    ['CANCELLED', true, 'user'],
    ['CANCELLED', false, 'orchestrator'],
    ['COMPLETED', true, 'orchestrator'],
  ])('%s, cancelled by a person: %s, is recorded of the %s', async (outcome, cancelled, actor) => {
    const by = place.person('MANAGER').userId
    const id = await run(cancelled ? { cancelled_at: 1, cancelled_by: by } : {})
    end(id, { outcome, reason: 'Stopped' })
    const [entry] = entries(id)
    expect([entry!.actor_type, entry!.actor_id]).toEqual([actor, actor === 'user' ? by : undefined])
  })

  it.each<[more: Partial<Ending>, severity: string, payload: object]>([
    [{}, 'info', { exit_code: 0 }],
    [{ exitCode: null }, 'info', {}],
    [{ outcome: 'CANCELLED', reason: 'Stopped' }, 'info', { exit_code: 0 }],
    [{ outcome: 'FAILED', reason: 'No key' }, 'error', { exit_code: 0, in_band_error: 'No key' }],
    [{ outcome: 'TIMEOUT', reason: 'Too long', exitCode: 9 }, 'error', { exit_code: 9 }],
  ])('with %j ends the program with severity %s', async (more, severity, payload) => {
    const id = await run({ worked_ms: 500 })
    end(id, { command, ...more })
    const [entry] = entries(id, 'exec.command')
    expect([entry!.severity, entry!.payload]).toEqual([
      severity,
      { ...command, phase: 'end', duration_ms: 2000, ...payload },
    ])
  })

  it('adds up what the programs of the run spent', async () => {
    const id = await run({ worked_ms: 500, spent_json: '{"input_tokens":10,"num_turns":2}' })
    end(id)
    expect(entries(id)[0]!.payload).toMatchObject({ metadata: { duration_ms: 2500, input_tokens: 13, num_turns: 2 } })
    expect(row(id)['tokens']).toBe(17)
  })

  it.each<[string, row: Record<string, number | null>, expected: number]>([
    ['of a program that began in the life of another daemon', { launched_at: 6000 }, 0],
    ['of a run that never had a program, since it was asked for', { launched_at: null, created_at: -1000 }, 1000],
    ['of a run between two programs', { launched_at: null, worked_ms: 700, created_at: -1000 }, 700],
    ['of a run that waits for its second program', { launched_at: null, attempt: 1, created_at: -1000 }, 0],
  ])('counts the time %s', async (_, more, expected) => {
    const id = await run()
    change(id, { ...more, ...(more['created_at'] && { created_at: place.app.clock() + more['created_at'] }) })
    end(id)
    expect(entries(id)[0]!.payload).toMatchObject({ metadata: { duration_ms: expected } })
  })

  it('leaves the agent at work while another of its runs has a program', async () => {
    const one = await agent()
    const [first, second] = [await run({}, one), await run({}, one)]
    end(first)
    expect(statusOf(second)).toBe('RUNNING')
    end(second)
    expect(statusOf(second)).toBe('IDLE')
  })
})

describe('what was said', () => {
  it('is kept by the source and recorded', async () => {
    const keep = vi.spyOn(madeUp, 'keep')
    const id = await run()
    end(id, { message: said('Done') })
    expect(keep.mock.calls.map(([, { id: of }, it]) => [of, it])).toEqual([[id, said('Done')]])
    const [entry] = entries(id, 'chat.agent_response')
    expect(entry).toMatchObject({ actor_type: 'agent', actor_id: row(id)['agent_id'] })
    expect(entry!.payload).toEqual({ agent_slug: row(id)['agent_slug'], content: 'Done', length_chars: 4 })
  })

  it('is cut after 8 KiB, between two characters', async () => {
    const id = await run()
    end(id, { message: said(`a${'é'.repeat(5000)}`) })
    expect(entries(id, 'chat.agent_response')[0]!.payload).toMatchObject({
      content: `a${'é'.repeat(4095)}`,
      length_chars: 5001,
      truncated: true,
    })
  })

  it.each([said(''), said('Note', 'system')])('%j is kept and not recorded', async (message) => {
    const keep = vi.spyOn(madeUp, 'keep')
    const [id, waiting] = [await run(), await run({ phase: 'parking' })]
    end(id, { message })
    park(waiting, { message })
    expect(keep).toHaveBeenCalledTimes(2)
    expect([...entries(id, 'chat.agent_response'), ...entries(waiting, 'chat.agent_response')]).toEqual([])
  })
})

describe('the program of a run that waits for a person', () => {
  it('is gone: what it spent, worked and said is stored, and the agent is idle', async () => {
    const keep = vi.spyOn(madeUp, 'keep')
    const id = await run({ phase: 'parking', worked_ms: 500, spent_json: '{"input_tokens":10}' })
    expect(park(id, { message: said('I ask.'), command })).toBe(true)
    expect(row(id)).toMatchObject({ phase: 'parked', worked_ms: 2500, launched_at: null, last_frame: 9 })
    expect(JSON.parse(row(id)['spent_json'] as string)).toEqual({ input_tokens: 11 })
    expect(keep).toHaveBeenCalledTimes(1)
    const [ended] = entries(id, 'exec.command')
    expect([ended!.severity, ended!.payload]).toEqual([
      'info',
      { ...command, phase: 'end', exit_code: 0, duration_ms: 2000 },
    ])
    expect(entries(id, 'chat.agent_response')).toMatchObject([{ payload: { content: 'I ask.' } }])
    expect(statusOf(id)).toBe('IDLE')
  })

  it('records no command and no words where there were none', async () => {
    const id = await run({ phase: 'parking' })
    expect(park(id)).toBe(true)
    expect(entries(id)).toEqual([])
  })

  it.each<[Record<string, number | string>]>([
    [{ phase: 'running' }],
    [{ phase: 'parked' }],
    [{ phase: 'parking', cancelled_at: 1 }],
  ])('is not settled of %j', async (more) => {
    const id = await run(more)
    expect(park(id, { message: said('I ask.') })).toBe(false)
    expect([row(id)['phase'], entries(id)]).toEqual([more['phase'], []])
  })
})
