import { describe, expect, it } from 'vitest'
import type { Seen } from '../../../../daemon/features/inbox/queries.ts'
import {
  type Deciding,
  isSettled,
  managedBy,
  missingSource,
  present,
  rolesBelow,
  stateOf,
} from '../../../../daemon/features/inbox/rules.ts'

const at = '2026-01-01T00:00:00Z'
const row = (given: Partial<Seen> = {}): Seen => ({
  seq: 7,
  id: 'ibx_message_a',
  workspace_id: 'w',
  kind: 'message',
  source_id: 'a',
  audience: 'all',
  title: 'Hello',
  body_md: null,
  priority: 'medium',
  blocking: 0,
  sender_type: null,
  sender_id: null,
  sender_name: null,
  payload_json: null,
  thread_key: null,
  attention_class: null,
  actions_json: null,
  read_at: null,
  resolved_at: null,
  resolved_by_user_id: null,
  resolved_action: null,
  created_at: at,
  updated_at: at,
  decides_json: null,
  run_id: null,
  own_read_at: null,
  avatar_seed: null,
  avatar_style: null,
  ...given,
})
const decides = (more: Partial<Deciding> = {}) =>
  JSON.stringify({ operation: 'escalations.resolve', params: { escalationId: 'e' }, choices: [], ...more })

describe('an item is for', () => {
  it.each([
    ['VIEWER', ['VIEWER']],
    ['MANAGER', ['VIEWER', 'MEMBER', 'MANAGER']],
    ['OWNER', ['VIEWER', 'MEMBER', 'MANAGER', 'ADMIN', 'OWNER']],
  ] as const)('%s when it is for one of %j', (role, below) =>
    expect(rolesBelow(role).sort()).toEqual([...below].sort()),
  )
})

describe('an item cannot be moved', () => {
  const settled = { kind: 'run_needs_human', resolved_at: at, resolved_action: 'answer' } as const
  it.each([
    ['a question that is settled, to unread', row(settled), 'unread'],
    ['what is decided elsewhere, to resolved', row({ kind: 'escalation', decides_json: decides() }), 'resolved'],
    ['what is decided elsewhere, to unread', row({ kind: 'message', decides_json: decides() }), 'unread'],
    ['what had a source that is gone, to unread', row({ kind: 'waitpoint' }), 'unread'],
  ] as const)('%s', (_, of, state) =>
    expect(managedBy(of, state)).toMatchObject({ code: 'source_managed', extra: { kind: of.kind } }),
  )

  it.each([
    ['a question that is settled, to resolved', row(settled), 'resolved'],
    ['a question that is open, to unread', row({ kind: 'run_needs_human' }), 'unread'],
    ['a message that is resolved, to unread', row({ resolved_at: at }), 'unread'],
    ['what had a source that is gone, to resolved', row({ kind: 'escalation' }), 'resolved'],
    ['what marking it decides, to resolved', row({ decides_json: decides({ resolves: 'dismiss' }) }), 'resolved'],
  ] as const)('but %s', (_, of, state) => expect(managedBy(of, state)).toBeNull())

  it('without being told what was decided, or where to decide', () => {
    const detail = (of: Seen, state: 'unread' | 'resolved') => managedBy(of, state)?.message
    expect(detail(row(settled), 'unread')).toBe('This question is settled (answer) and stays so')
    expect(detail(row({ ...settled, resolved_action: null }), 'unread')).toBe(
      'This question is settled (resolved) and stays so',
    )
    expect(detail(row({ kind: 'escalation', decides_json: decides({ hint: 'PATCH it' }) }), 'unread')).toBe('PATCH it')
  })
})

it.each([
  [1, at, true],
  [1, null, false],
  [0, at, false],
  [0, null, false],
] as const)('what waits for an answer (%i) is settled once it is resolved (%s): %s', (blocking, resolved_at, settled) =>
  expect(isSettled({ blocking, resolved_at })).toBe(settled),
)

describe('an item is shown', () => {
  it.each([
    ['unread', {}],
    ['unread', { read_at: at }],
    ['read', { own_read_at: at }],
    ['resolved', { own_read_at: at, resolved_at: at }],
  ] as const)('as %s with %j', (state, given) => expect(stateOf(row(given))).toBe(state))

  it('without its number, and without what it has not', () =>
    expect(present(row())).toEqual({
      id: 'ibx_message_a',
      workspace_id: 'w',
      kind: 'message',
      source_id: 'a',
      title: 'Hello',
      priority: 'medium',
      created_at: at,
      updated_at: at,
      state: 'unread',
      blocking: false,
    }))

  it.each([
    ['a user', { audience: 'user:u1' }, { target_user_id: 'u1' }],
    ['a role', { audience: 'role:ADMIN' }, { target_role: 'ADMIN' }],
    ['its agent', { avatar_seed: 's', avatar_style: 'rings' }, { avatar_seed: 's', avatar_style: 'rings' }],
    ['a payload', { payload_json: '{"x":1}' }, { payload: { x: 1 } }],
    ['actions', { actions_json: '[{"id":"ok","label":"OK"}]' }, { actions: [{ id: 'ok', label: 'OK' }] }],
    ['work that waits', { blocking: 1 }, { blocking: true }],
  ] as const)('with %s', (_, given, shown) => expect(present(row(given))).toMatchObject(shown))

  it('with how it is decided, until it is', () => {
    const deciding = { operation: 'escalations.resolve', params: { escalationId: 'e' }, choices: [] }
    expect(present(row({ decides_json: decides() }))).toMatchObject({ decides: deciding })
    expect(present(row({ decides_json: decides(), resolved_at: at }))).not.toHaveProperty('decides')
    expect(present(row({ audience: 'user:u1' }))).not.toHaveProperty('target_role')
    expect(present(row({ audience: 'role:ADMIN' }))).not.toHaveProperty('target_user_id')
  })

  it.each([
    ['message', null, {}],
    ['run_needs_human', null, {}],
    ['waitpoint', null, { source_missing: true }],
    ['escalation', null, { source_missing: true }],
    ['escalation', decides(), { source_missing: false }],
  ] as const)('of the kind %s and decided by %s', (kind, decides_json, shown) =>
    expect(missingSource(row({ kind, decides_json }))).toEqual(shown),
  )
})
