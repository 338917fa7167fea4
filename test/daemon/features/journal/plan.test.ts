import { describe, expect, it } from 'vitest'
import type { Combo } from '#kernel/journal/combos'
import type { Filter } from '../../../../daemon/features/journal/filter.ts'
import { matching, plan, resolve, type Stream, type Wanted } from '../../../../daemon/features/journal/plan.ts'

const names = new Map([
  ['0 here', 1],
  ['0 there', 2],
  ...['c1', 'c2', 'a1', 'm1', 'r1', 'exec.command', 'agent.error'].map((text, at) => [`1 ${text}`, 10 + at] as const),
])
const find = (ws: number, text: string) => names.get(`${ws} ${text}`)
const resolved = (filter: Filter, workspace = 'here') => resolve({ names: { find } }, workspace, filter)

const comboOf = (combo: number, more: Partial<Combo> = {}): Combo => ({
  ...{ combo, ws: 1, crew: 0, agent: 0, type: 1, severity: 0, actorType: 0, n: 1, last: combo },
  ...more,
})
const ranges = [{ after: 0, upTo: 9 }]
const planned = (wanted: Partial<Wanted>, combos: Combo[] = [], total = 1_000) =>
  plan({ ws: 1, ...wanted }, ranges, {
    combos: { of: (ws) => (ws === 1 ? combos : []), total: () => total, chained: () => total },
  })
const each = (by: Stream['by'], ...keys: number[]): Stream[] => keys.map((key) => ({ by, key }))
const set = (...numbers: number[]) => new Set(numbers)
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

describe('resolve', () => {
  it('knows nothing of a workspace without entries', () => expect(resolved({}, 'nowhere')).toBeUndefined())

  it('asks for nothing that the filter does not name', () =>
    expect(Object.entries(resolved({})!).filter(([, value]) => value !== undefined)).toEqual([['ws', 1]]))

  it.each<[keyof Filter, string[], keyof Wanted, number[]]>([
    ['crews', ['c1', 'none', 'c2'], 'crews', [10, 11]],
    ['agents', ['a1'], 'agents', [12]],
    ['missions', ['m1'], 'missions', [13]],
    ['traces', ['r1', 'none'], 'traces', [14]],
    ['runs', ['r1'], 'runs', [14]],
    ['types', ['exec.command'], 'types', [15]],
    ['withoutTypes', ['agent.error'], 'withoutTypes', [16]],
    ['severities', ['info', 'error'], 'severities', [0, 3]],
    ['actorTypes', ['user', 'agent'], 'actorTypes', [1, 0]],
    ['priorities', ['normal', 'pin'], 'priorities', [0, 2]],
    ['crews', ['none'], 'crews', []],
  ])('takes the numbers of %s %j', (member, texts, wanted, numbers) =>
    expect(resolved({ [member]: texts })).toMatchObject({ ws: 1, [wanted]: set(...numbers) }),
  )

  it('takes the numbers of the workspace alone', () =>
    expect(resolved({ crews: ['c1'] }, 'there')).toMatchObject({ ws: 2, crews: set() }))
})

describe('matching', () => {
  const combos = [
    comboOf(1, { crew: 10, agent: 12, type: 15, severity: 0, actorType: 0 }),
    comboOf(2, { crew: 11, agent: 12, type: 16, severity: 1, actorType: 1 }),
    comboOf(3, { crew: 10, agent: 20, type: 16, severity: 3, actorType: 2, n: 5 }),
    comboOf(4, { crew: 10, agent: 12, type: 15, severity: 0, actorType: 0, n: 0 }),
  ]
  const found = (wanted: Partial<Wanted>) => matching({ ws: 1, ...wanted }, combos)?.map(({ combo }) => combo) ?? null

  it.each<[string, Partial<Wanted>, number[] | null]>([
    [
      'nothing that concerns combinations',
      { missions: set(1), traces: set(1), runs: set(1), priorities: set(1) },
      null,
    ],
    ['no types to leave out', { withoutTypes: set() }, null],
    ['crews', { crews: set(10) }, [1, 3]],
    ['agents', { agents: set(12) }, [1, 2]],
    ['types', { types: set(16) }, [2, 3]],
    ['types to leave out', { withoutTypes: set(15) }, [2, 3]],
    ['severities', { severities: set(1, 3) }, [2, 3]],
    ['actors', { actorTypes: set(0, 1) }, [1, 2]],
    ['two columns', { crews: set(10), types: set(16) }, [3]],
    ['names that nobody has', { crews: set() }, []],
  ])('takes by %s', (_what, wanted, want) => expect(found(wanted)).toEqual(want))
})

describe('plan', () => {
  it('reads the workspace where nothing narrows it', () => {
    expect(planned({}, [comboOf(1)])).toEqual({ ws: 1, ranges, streams: each('ws', 1), check: null })
    expect(planned({ priorities: set(0, 1, 2, 3) }, [comboOf(1)])).toMatchObject({
      streams: each('ws', 1),
      check: null,
    })
    expect(planned({ priorities: set(0, 1, 2) }, [comboOf(1)])).toMatchObject({
      streams: each('ws', 1),
      check: { priorities: set(0, 1, 2) },
    })
  })

  it('reads nothing where no combination matches, whatever else is asked for', () =>
    expect(planned({ crews: set(9), traces: set(5) }, [comboOf(1)])).toEqual({
      ws: 1,
      ranges,
      streams: [],
      check: null,
    }))

  it('reads by trace, run, mission or priority, the first of them that is asked for, and checks the rest', () => {
    const [traces, runs, missions, priorities] = [set(5, 6), set(7), set(8), set(1, 2)]
    const combos = [comboOf(1, { crew: 10 }), comboOf(2, { crew: 11 })]
    const crews = set(10)
    const some = set(1)
    expect(planned({ traces, runs, missions, priorities, crews }, combos)).toMatchObject({
      streams: each('trace', 5, 6),
      check: { runs, missions, priorities, combos: some },
    })
    expect(planned({ traces }).check).toBeNull()
    expect(planned({ runs, missions, priorities, crews }, combos)).toMatchObject({
      streams: [...each('trace', 7), ...each('actor', 7), ...each('run', 7)],
      check: { missions, priorities, combos: some },
    })
    expect(planned({ runs }).check).toBeNull()
    expect(planned({ missions, priorities, crews }, combos)).toMatchObject({
      streams: each('mission', 8),
      check: { priorities, combos: some },
    })
    expect(planned({ missions }).check).toBeNull()
    expect(planned({ priorities, crews }, combos)).toMatchObject({
      streams: each('priority', 1, 2),
      check: { combos: some },
    })
    expect(planned({ priorities }).check).toBeNull()
  })

  it('reads the only column that is asked for by its index', () => {
    const combos = [
      comboOf(1, { crew: 10, type: 15 }),
      comboOf(2, { crew: 11, type: 16, severity: 1 }),
      comboOf(3, { type: 15 }),
    ]
    expect(planned({ crews: set(10, 9) }, combos)).toMatchObject({ streams: each('crew', 10, 9), check: null })
    expect(planned({ agents: set(0) }, combos)).toMatchObject({ streams: each('agent', 0), check: null })
    expect(planned({ types: set(15) }, combos)).toMatchObject({ streams: each('type', 15), check: null })
    expect(planned({ types: set(15, 16), withoutTypes: set(15) }, combos)).toMatchObject({ streams: each('type', 16) })
    expect(planned({ withoutTypes: set(16) }, combos)).toMatchObject({ streams: each('type', 15), check: null })
    expect(planned({ severities: set(1, 2) }, combos)).toMatchObject({ streams: each('severity', 1, 2), check: null })
    const few = [
      { by: 'combo', key: 1, last: 1 },
      { by: 'combo', key: 3, last: 3 },
    ]
    expect(planned({ severities: set(0) }, combos), 'without an index').toMatchObject({ streams: few, check: null })
    expect(planned({ actorTypes: set(0) }, combos).streams.map(({ by }) => by)).toEqual(['combo', 'combo', 'combo'])
    expect(planned({ crews: set(10, 11), types: set(15) }, combos).streams).toEqual([few[0]])
    expect(planned({ crews: set(10), priorities: set(0) }, combos)).toMatchObject({
      streams: each('crew', 10),
      check: { priorities: set(0) },
    })
  })

  it.each([
    [40, 40, 'crew'],
    [41, 40, 'combo'],
    [41, 41, 'crew'],
    [40, 41, 'crew'],
  ])('of %i crews in %i combinations reads by %s', (crews, combos, by) =>
    expect(
      planned(
        { crews: set(...upTo(crews)) },
        upTo(combos).map((combo) => comboOf(combo, { crew: (combo % crews) + 1 })),
      ).streams[0]!.by,
    ).toBe(by),
  )

  it.each([
    [400, 400, 'combo'],
    [401, 4_009, 'ws'],
    [401, 4_010, 'combo'],
    [401, 401, 'ws'],
  ])('of %i combinations in %i entries reads by %s', (combos, total, by) => {
    const { streams, check } = planned(
      { actorTypes: set(0) },
      upTo(combos).map((combo) => comboOf(combo)),
      total,
    )
    expect([streams[0]!.by, streams.length]).toEqual([by, by === 'ws' ? 1 : combos])
    expect(check).toEqual(by === 'ws' ? { combos: set(...upTo(combos)) } : null)
  })
})
