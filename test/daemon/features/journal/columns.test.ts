import { describe, expect, it } from 'vitest'
import type { Entry } from '#contract/entries'
import { type Columns, createColumnCheck } from '../../../../daemon/features/journal/columns.ts'
import { openMigrated } from '../../../support/migrated.ts'

const at = '2026-01-01T00:00:00.000Z'
/** Names of workspace 1, and two of another one. */
const texts = ['crew', 'agent', 'exec.command', 'mission', 'trace', 'actor', 'run', 'other']

const row: Columns = {
  ...{ id: 'j_1', ts: Date.parse(at), combo: 1, crew: 11, agent: 12, type: 13, severity: 2 },
  ...{ mission: 14, trace: 15, actor: 16, run: 17, priority: 1 },
}
const entry = {
  ...{ id: 'j_1', workspace_id: 'here', ts: at, entry_type: 'exec.command', severity: 'warn', priority: 'high' },
  ...{ actor_type: 'user', actor_id: 'actor', crew_id: 'crew', agent_id: 'agent', mission_id: 'mission' },
  ...{ summary: 'ls', trace_id: 'trace', payload: { run_id: 'run' } },
} as Entry

const bareRow: Columns = {
  ...row,
  combo: 2,
  crew: null,
  agent: null,
  mission: null,
  trace: null,
  actor: null,
  run: null,
}
const { crew_id, agent_id, mission_id, trace_id, actor_id, payload, ...bareEntry } = entry

function check() {
  const db = openMigrated()
  const name = db.prepare('INSERT INTO journal_names (name, ws, text) VALUES (?, ?, ?)')
  for (const [index, text] of texts.entries()) name.run(11 + index, 1, text)
  name.run(31, 2, 'crew')
  name.run(33, 2, 'exec.command')
  const combo = db.prepare(
    'INSERT INTO journal_combos (combo, ws, crew, agent, type, severity, actor_type) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  combo.run(1, 1, 11, 12, 13, 2, 1)
  combo.run(2, 1, 0, 0, 13, 2, 1)
  combo.run(3, 2, 11, 12, 13, 2, 1)
  combo.run(4, 1, 11, 12, 13, 2, 2)
  combo.run(5, 1, 11, 12, 18, 2, 1)
  combo.run(6, 1, 11, 12, 13, 3, 1)
  combo.run(7, 1, 11, 0, 13, 2, 1)
  combo.run(8, 1, 0, 12, 13, 2, 1)
  return createColumnCheck(db, 1, 'here')
}

describe('the columns of an entry', () => {
  it('agree with it, where all are filled and where none is', () => {
    const differs = check()
    for (let time = 0; time < 2; time++) {
      expect(differs(row, entry, false)).toBeNull()
      expect(differs(bareRow, bareEntry as Entry, false)).toBeNull()
    }
  })

  it.each<[string, Partial<Columns>]>([
    ['id', { id: 'j_2' }],
    ['ts', { ts: Date.parse(at) + 1 }],
    ['crew', { crew: 18 }],
    ['crew', { crew: null }],
    ['crew', { crew: 31 }],
    ['crew', { crew: 99 }],
    ['agent', { agent: 18 }],
    ['agent', { agent: null }],
    ['type', { type: 18 }],
    ['type', { type: 33 }],
    ['severity', { severity: 1 }],
    ['mission', { mission: 18 }],
    ['mission', { mission: null }],
    ['trace', { trace: 18 }],
    ['trace', { trace: null }],
    ['actor', { actor: 18 }],
    ['actor', { actor: null }],
    ['run', { run: 18 }],
    ['run', { run: null }],
    ['priority', { priority: 0 }],
    ['combo', { combo: 2 }],
    ['combo', { combo: 3 }],
    ['combo', { combo: 4 }],
    ['combo', { combo: 5 }],
    ['combo', { combo: 6 }],
    ['combo', { combo: 7 }],
    ['combo', { combo: 8 }],
    ['combo', { combo: 99 }],
  ])('differ in %s, which is %j', (column, change) => expect(check()({ ...row, ...change }, entry, false)).toBe(column))

  it.each<[string, Partial<Columns>]>([
    ['crew', { crew: 11 }],
    ['agent', { agent: 12 }],
    ['mission', { mission: 14 }],
    ['trace', { trace: 15 }],
    ['actor', { actor: 16 }],
    ['run', { run: 17 }],
    ['combo', { combo: 1 }],
  ])('hold a %s that the entry has not', (column, change) =>
    expect(check()({ ...bareRow, ...change }, bareEntry as Entry, false)).toBe(column),
  )

  it('are those of its workspace', () => expect(check()(row, { ...entry, workspace_id: 'there' }, false)).toBe('ws'))

  it('keep the run of a payload that was erased', () => {
    const { payload: _, ...rest } = entry
    expect(check()(row, rest as Entry, true)).toBeNull()
    expect(check()(row, rest as Entry, false)).toBe('run')
  })

  it('hold no run that is no text', () => {
    const odd = { ...entry, payload: { run_id: 7 } } as Entry
    expect(check()({ ...row, run: null }, odd, false)).toBeNull()
    expect(check()(row, odd, false)).toBe('run')
  })
})
