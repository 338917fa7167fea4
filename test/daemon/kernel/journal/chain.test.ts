import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Entry } from '#contract/entries'
import { covered, hashEntry, hashPart, render, split } from '#kernel/journal/chain'
import { daemon } from '#test'
import { rawEntry } from '../../../support/raw-entry.ts'

const entry: Entry = {
  id: 'j_0000000000000001',
  workspace_id: 'w',
  ts: '2026-01-01T00:00:00.000Z',
  entry_type: 'exec.command',
  severity: 'info',
  priority: 'normal',
  actor_type: 'system',
  summary: 'ls',
}
const payload = { run_id: 'r1' }

// Made with another program: sha256 of the hashes that a scheme names and the members, for an entry without and one
// with
// a payload.
const known = {
  1: [
    '4a89255f4a85fe8eb36482b13fde1f0a6c6ae475f97e1301b29387df599dec64',
    '1c3ac56efdcdb85493c21c9e3295bfff3d04befc008c514d2bf352f151e3e48a',
  ],
  2: [
    '83bd1ff4c30a4785bbf9a76c7a779c21ffbd9e202c3bf8b8e17dbb748b3bddbb',
    '2cd7e865aaf5955edda21bc44cbd8bc7c626bd06be9d926cc0b56c81399b947b',
  ],
} as const

describe('the chain', () => {
  it.each([1, 2] as const)('under scheme %i covers the hash before, the parts and the members, as ever', (scheme) => {
    let prev: Buffer = Buffer.alloc(32)
    const hashes = [entry, { ...entry, id: 'j_0000000000000002', payload }].map((it) => {
      const { fixed, summary, payload } = render(it, scheme)
      const parts = { prev, payload: hashPart(payload), summary: scheme === 1 ? null : hashPart(summary) }
      prev = hashEntry(parts, fixed)
      return prev.toString('hex')
    })
    expect(hashes).toEqual(known[scheme])
  })

  it('is written under scheme 2', async () => {
    const { app, workspace } = await daemon()
    app.writeNow(() =>
      rawEntry(app, { workspace_id: workspace, type: 'exec.command', actor_type: 'system', summary: 'ls' }),
    )
    expect(app.db.prepare('SELECT scheme FROM journal').pluck().all()).toEqual([2])
  })

  it('hashes texts of any length alike', () => {
    const prev = createHash('sha256').update('before').digest()
    const second = createHash('sha256').update('muster journal entry 2').digest()
    for (const text of ['', 'é', 'x'.repeat(21_800), 'x'.repeat(21_824), '€'.repeat(21_824), 'x'.repeat(200_000)]) {
      const first = createHash('sha256').update(prev).update(prev).update(text).digest()
      expect(hashEntry({ prev, payload: prev, summary: null }, text).equals(first)).toBe(true)
      const both = createHash('sha256').update(second).update(prev).update(prev).update(prev).update(text).digest()
      expect(hashEntry({ prev, payload: prev, summary: prev }, text).equals(both)).toBe(true)
    }
  })

  it('covers the priority that an entry was written with, unless it is the usual one', async () => {
    expect([covered('{}', 'normal'), covered('{}', 'pin')]).toEqual(['{}', '{}pin'])
    const { app, workspace } = await daemon()
    const draft = {
      workspace_id: workspace,
      type: 'exec.command',
      actor_type: 'system',
      summary: 'ls',
      priority: 'pin',
    } as const
    const { doc } = app.writeNow(() => rawEntry(app, draft))
    const { fixed, summary } = split(doc, JSON.parse(doc))!
    const stored = app.db.prepare<[], Buffer>('SELECT entry_hash FROM journal').pluck().get()!
    const prev = Buffer.alloc(32)
    expect(stored.equals(hashEntry({ prev, payload: prev, summary: hashPart(summary) }, `${fixed}pin`))).toBe(true)
  })
})

describe('split', () => {
  it.each([
    ['without a payload', entry],
    ['with a payload', { ...entry, payload: { text: '","priority":"normal","payload":' } }],
    [
      'with references',
      { ...entry, refs: { priority: 'normal' }, trace_id: 'r1', payload: { priority: 'normal', payload: 1 } },
    ],
    ['marked', { ...entry, priority: 'pin' as const, payload }],
  ])('finds the parts of an entry %s', (_what, it) => {
    for (const scheme of [1, 2] as const) {
      const { doc, ...parts } = render(it, scheme)
      expect(split(doc, JSON.parse(doc), scheme)).toEqual(parts)
    }
  })

  it('knows when a text is laid out otherwise', () =>
    expect([split(JSON.stringify(entry), entry, 1), split(JSON.stringify(entry), entry, 2)]).toEqual([null, null]))
})
