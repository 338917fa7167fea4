import { describe, expect, it } from 'vitest'
import type { Entry } from '#contract/entries'
import { Problem } from '#kernel/problem'
import { readCursor } from '../../../../daemon/features/journal/cursor.ts'
import { accepts, type Filter, type Query, readFilter, readLimit } from '../../../../daemon/features/journal/filter.ts'

/** The field that a refusal names; undefined when nothing is refused. */
function refused(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return `${error.code} ${error.field}`
    throw error
  }
  return undefined
}

describe('filters', () => {
  it('are absent where nothing is asked for', () =>
    expect(Object.values(readFilter({ crew_id: ' ', q: '  ', since: '', severity: ',' }))).toEqual(
      Array(13).fill(undefined),
    ))

  it('take lists, trimmed, each value once', () =>
    expect(readFilter({ crew_id: ' a, b ,,a', mission_id: 'm', trace_id: 't', run_id: 'r' })).toMatchObject({
      crews: ['a', 'b'],
      missions: ['m'],
      traces: ['t'],
      runs: ['r'],
    }))

  it('prefer the plural name of crews and agents', () => {
    const query = { crew_id: 'a', crew_ids: 'b,c', agent_id: 'd', agent_ids: 'e' }
    expect(readFilter(query)).toMatchObject({ crews: ['b', 'c'], agents: ['e'] })
    expect(readFilter({ crew_id: 'a', crew_ids: ' ', agent_id: 'd' })).toMatchObject({ crews: ['a'], agents: ['d'] })
  })

  it('know the words of fixed lists', () => {
    const query = {
      entry_type: 'run.started,run.failed',
      exclude_entry_type: 'exec.command',
      severity: 'warn, error',
      actor_type: 'user',
      priority: 'pin',
    }
    expect(readFilter(query)).toMatchObject({
      types: ['run.started', 'run.failed'],
      withoutTypes: ['exec.command'],
      severities: ['warn', 'error'],
      actorTypes: ['user'],
      priorities: ['pin'],
    })
  })

  it.each<Query>([
    { entry_type: 'run.started,run.begun' },
    { exclude_entry_type: 'run.begun' },
    { severity: 'bad' },
    { actor_type: 'robot' },
    { priority: 'urgent' },
    { since: 'yesterday' },
    { until: '2026-02-30T00:00:00Z' },
    { q: 'x'.repeat(201) },
  ])('refuse %j by its name', (query) =>
    expect(refused(() => readFilter(query))).toBe(`invalid_field ${Object.keys(query)[0]}`),
  )

  it('quote no more than 50 characters of an unknown word', () => {
    const asked = () => readFilter({ severity: 'x'.repeat(51) })
    expect(asked).toThrow(`severity "${'x'.repeat(50)}" is none of info, notice, warn, error`)
  })

  it('count the characters of a phrase as people do', () =>
    expect(readFilter({ q: ` ${'\u{1f600}'.repeat(200)} ` }).phrase).toBe('\u{1f600}'.repeat(200)))

  it('round bounds finer than a millisecond into the range', () =>
    expect(readFilter({ since: ' 2026-01-01T00:00:00.0001Z ', until: '2026-01-01T00:00:00.0009Z' })).toMatchObject({
      since: Date.parse('2026-01-01T00:00:00.001Z'),
      until: Date.parse('2026-01-01T00:00:00Z'),
    }))
})

describe('the number of rows', () => {
  it.each([
    [undefined, 100],
    [' ', 100],
    ['1', 1],
    [' 500 ', 500],
    [7, 7],
    ['0007', 7],
  ])('of %j is %i', (given, limit) => expect(readLimit(given)).toBe(limit))

  it.each(['0', '501', '-1', '1.5', '1e2', 'ten', '00007'])('is not %j', (given) =>
    expect(refused(() => readLimit(given))).toBe('invalid_field limit'),
  )
})

describe('cursors', () => {
  const cursor = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  const [time, id] = ['2026-01-01T00:00:00.000Z', 'j_0123456789abcdef']

  it('stand for an entry', () => expect(readCursor(cursor([time, id]))).toBe(id))

  it.each([
    ['nothing', ''],
    ['no JSON', Buffer.from('[no json]').toString('base64url')],
    ['no list', cursor({ time, id })],
    ['null', cursor(null)],
    ['less', cursor([time])],
    ['more', cursor([time, id, id])],
    ['a number for the time', cursor([1, id])],
    ['no time', cursor(['later', id])],
    ['a number for the id', cursor([time, 1])],
    ['a longer id', cursor([time, `${id}0`])],
    ['another id', cursor([time, 'c0123456789abcdef'])],
    ['characters of another alphabet', `${cursor([time, id])}=`],
    ['far too much', cursor([time, 'x'.repeat(200)])],
  ])('that hold %s are refused', (_, text) => expect(refused(() => readCursor(text))).toBe('invalid_field cursor'))
})

describe('an entry', () => {
  const entry: Entry = {
    id: 'j_0123456789abcdef',
    workspace_id: 'w',
    crew_id: 'crew',
    agent_id: 'agent',
    mission_id: 'mission',
    ts: '2026-01-01T00:00:10.000Z',
    entry_type: 'exec.command',
    severity: 'warn',
    priority: 'pin',
    actor_type: 'agent',
    actor_id: 'actor',
    summary: 'ls',
    payload: { run_id: 'of the payload' },
    trace_id: 'trace',
  }
  const ms = Date.parse(entry.ts)

  it.each<Filter>([
    {},
    { crews: ['other', 'crew'] },
    { agents: ['agent'] },
    { missions: ['mission'] },
    { traces: ['trace'] },
    { runs: ['trace'] },
    { runs: ['actor'] },
    { runs: ['of the payload'] },
    { types: ['exec.command'] },
    { withoutTypes: ['run.started'] },
    { severities: ['warn'] },
    { actorTypes: ['agent'] },
    { priorities: ['pin'] },
    { since: ms },
    { until: ms },
    { since: ms - 1, until: ms + 1 },
  ])('meets %j', (filter) => expect(accepts(filter, entry)).toBe(true))

  it.each<Filter>([
    { crews: ['other'] },
    { agents: ['other'] },
    { missions: ['other'] },
    { traces: ['other'] },
    { runs: ['other'] },
    { types: ['run.started'] },
    { withoutTypes: ['exec.command'] },
    { severities: ['info', 'error'] },
    { actorTypes: ['user'] },
    { priorities: ['normal'] },
    { since: ms + 1 },
    { until: ms - 1 },
    { since: ms + 1, until: ms + 2 },
  ])('does not meet %j', (filter) => expect(accepts(filter, entry)).toBe(false))

  it.each<Filter>([{ crews: ['crew'] }, { runs: ['trace'] }])('without what %j asks for does not meet it', (filter) => {
    const { crew_id: _crew, trace_id: _trace, actor_id: _actor, payload: _payload, ...bare } = entry
    expect(accepts(filter, bare)).toBe(false)
  })
})
