import { expect, it } from 'vitest'
import { type Entry, isStored, type StoredEntry } from '#contract/entries'

const stored = (entry_type: string, payload: Record<string, unknown>): Entry => ({
  id: 'j_1',
  workspace_id: 'w1',
  ts: '2026-01-01T00:00:00.000Z',
  entry_type,
  severity: 'info',
  priority: 'normal',
  actor_type: 'system',
  summary: 'x',
  payload,
})

it('entries of other versions are told apart', () => {
  expect(isStored(stored('credential.rotated', {}))).toBe(true)
  expect(isStored(stored('eval.metric', {}))).toBe(false)
})

it('the type of an entry tells the compiler its payload', () => {
  const grace = (entry: StoredEntry) =>
    entry.entry_type === 'credential.rotated' ? entry.payload?.grace_seconds : undefined
  // @ts-expect-error: that fact has no such member
  const none = (entry: StoredEntry) => (entry.entry_type === 'credential.rotated' ? entry.payload?.grace : undefined)
  const entry = stored('credential.rotated', { grace_seconds: 60 }) as StoredEntry
  expect([grace(entry), none(entry)]).toEqual([60, undefined])
})

it('what an audit fact was done to tells which of them it is', () => {
  const verdict = ({ entry_type, payload }: StoredEntry) =>
    entry_type === 'audit.entity_created' && payload?.entity_type === 'agent' ? payload.policy_verdict : undefined
  const none = ({ entry_type, payload }: StoredEntry) => {
    if (entry_type !== 'audit.entity_created' || payload?.entity_type !== 'crew') return undefined
    // @ts-expect-error: no policy judges the creation of a crew
    return payload.policy_verdict
  }
  const made = (entity_type: string) =>
    stored('audit.entity_created', { entity_type, policy_verdict: 'ask' }) as StoredEntry
  expect([verdict(made('agent')), verdict(made('crew')), none(made('agent'))]).toEqual(['ask', undefined, undefined])
})
