import { describe, expect, it } from 'vitest'
import type { DesiredCrew } from '../../../daemon/features/crews/containers/service.ts'
import { type Facts, plan, type Step } from '../../../daemon/runtime/plan.ts'
import type { ObservedCrew } from '../../../daemon/runtime/types.ts'
import { crewSpec } from './runtime-contract.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString()

const wish = (want: DesiredCrew['want'], more: Partial<DesiredCrew> = {}): DesiredCrew => ({
  crewId: 'c1',
  workspaceId: 'w1',
  want,
  wantedAt: ago(1),
  usedAt: ago(1),
  ttlHours: 4,
  spec: crewSpec({ crewId: 'c1' }),
  seen: { state: 'none', containerId: null, contract: null, startedAt: null, error: null },
  ...more,
})
const found = (state: ObservedCrew['state'], more: Partial<ObservedCrew> = {}): ObservedCrew => ({
  crewId: 'c1',
  workspaceId: 'w1',
  state,
  containerId: 'k1',
  contract: 'x',
  startedAt: state === 'running' ? ago(10) : null,
  healthy: state === 'running',
  made: null,
  ...more,
})
const idle: Facts = { now, live: false, held: false, connected: true }
const live: Facts = { ...idle, live: true }
const fresh: Facts = { ...idle, connected: false }

const wait: Step = { do: 'wait' }
const waitUntil = (at: string): Step => ({ do: 'wait', until: Date.parse(at) })

const cases: [what: string, desired: DesiredCrew | null, observed: ObservedCrew | null, facts: Facts, step: Step][] = [
  ['nobody wishes anything, nothing is there', null, null, idle, wait],
  ['nobody owns a running container', null, found('running'), idle, { do: 'reap' }],
  ['nobody owns a running container, even with a run in it', null, found('running'), live, { do: 'reap' }],
  ['nobody owns a leftover', null, found('error', { containerId: '' }), idle, { do: 'reap' }],

  ['running: nothing is there', wish('running'), null, idle, { do: 'bring_up' }],
  ['running: it was stopped', wish('running'), found('stopped'), idle, { do: 'bring_up' }],
  ['running: it was made and never started', wish('running'), found('creating'), idle, { do: 'bring_up' }],
  ['running: it is broken', wish('running'), found('error'), idle, { do: 'bring_up' }],
  ['running: its sidecar is gone', wish('running'), found('running', { healthy: false }), idle, { do: 'bring_up' }],
  [
    'running: its sidecar is gone, runs in it are cut off anyway',
    wish('running'),
    found('running', { healthy: false }),
    live,
    { do: 'bring_up' },
  ],
  ['running: the daemon is new', wish('running'), found('running'), fresh, { do: 'connect' }],
  [
    'running: the daemon is new and runs go on',
    wish('running'),
    found('running'),
    { ...fresh, live: true },
    { do: 'connect' },
  ],
  ['running: used an hour ago', wish('running', { usedAt: ago(1) }), found('running'), idle, waitUntil(ago(-3))],
  [
    'running: used just within its time',
    wish('running', { usedAt: ago(3.99) }),
    found('running'),
    idle,
    waitUntil(ago(-0.01)),
  ],
  ['running, held: it runs', wish('running'), found('running'), { ...idle, held: true }, { do: 'stop' }],
  ['running, held: it is stopped', wish('running'), found('stopped'), { ...idle, held: true }, wait],
  ['removed, held: it is stopped', wish('removed'), found('stopped'), { ...idle, held: true }, { do: 'remove' }],
  ['running: its time is over', wish('running', { usedAt: ago(4) }), found('running'), idle, { do: 'sleep' }],
  ['running: its time is over but a run goes on', wish('running', { usedAt: ago(40) }), found('running'), live, wait],
  [
    'running: its time is never over',
    wish('running', { usedAt: ago(4000), ttlHours: 0 }),
    found('running'),
    idle,
    wait,
  ],
  [
    'running: long unused but only just started',
    wish('running', { usedAt: ago(40) }),
    found('running', { startedAt: ago(0.5) }),
    idle,
    waitUntil(ago(-3.5)),
  ],
  [
    'running: never used, counted from its start',
    wish('running', { usedAt: null }),
    found('running', { startedAt: ago(5) }),
    idle,
    { do: 'sleep' },
  ],
  [
    'running: of an older specification',
    wish('running', { ttlHours: 0 }),
    found('running', { contract: 'old' }),
    idle,
    wait,
  ],

  ['stopped: nothing is there', wish('stopped'), null, idle, wait],
  ['stopped: so it is', wish('stopped'), found('stopped'), idle, wait],
  ['stopped: it runs', wish('stopped'), found('running'), idle, { do: 'stop' }],
  ['stopped: it runs, runs too', wish('stopped'), found('running'), live, { do: 'stop' }],
  ['stopped: it runs without a sidecar', wish('stopped'), found('running', { healthy: false }), fresh, { do: 'stop' }],
  ['stopped: a start was cut short', wish('stopped'), found('creating'), idle, { do: 'clear' }],
  ['stopped: a removal was cut short', wish('stopped'), found('error', { containerId: '' }), idle, { do: 'clear' }],

  ['removed: it runs', wish('removed'), found('running'), idle, { do: 'remove' }],
  ['removed: it is stopped', wish('removed'), found('stopped'), idle, { do: 'remove' }],
  ['removed: only its volumes may be left', wish('removed'), null, idle, { do: 'remove' }],
  [
    'removed: its runs are ending',
    wish('removed', { wantedAt: new Date(now - 5000).toISOString() }),
    found('running'),
    live,
    { do: 'wait', until: now + 25_000 },
  ],
  [
    'removed: its runs had their time',
    wish('removed', { wantedAt: new Date(now - 30_000).toISOString() }),
    found('running'),
    live,
    { do: 'remove' },
  ],
]

describe('plan', () => {
  it.each(cases)('%s', (_what, desired, observed, facts, step) => expect(plan(desired, observed, facts)).toEqual(step))
})
