import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Entry } from '#contract/entries'
import { covered, hashEntry, hashPayload, render, split } from '#kernel/journal/chain'
import { daemon } from '#test'

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

// Made with another program: sha256 of 32 zeros, 32 zeros and the members; then of that, the payload's sha256 and the
// members.
const first = '4a89255f4a85fe8eb36482b13fde1f0a6c6ae475f97e1301b29387df599dec64'
const second = '1c3ac56efdcdb85493c21c9e3295bfff3d04befc008c514d2bf352f151e3e48a'

describe('the chain', () => {
  it('covers the hash before, the payload and the members, as it always did', () => {
    const one = render(entry)
    const two = render({ ...entry, id: 'j_0000000000000002', payload })
    const start = hashEntry(Buffer.alloc(32), hashPayload(one.payload), one.fixed)
    expect(start.toString('hex')).toBe(first)
    expect(hashEntry(start, hashPayload(two.payload), two.fixed).toString('hex')).toBe(second)
  })

  it('hashes texts of any length alike', () => {
    const prev = createHash('sha256').update('before').digest()
    for (const text of ['', 'é', 'x'.repeat(21_823), 'x'.repeat(21_824), '€'.repeat(21_824), 'x'.repeat(200_000)]) {
      const wanted = createHash('sha256').update(prev).update(prev).update(text).digest()
      expect(hashEntry(prev, prev, text).equals(wanted)).toBe(true)
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
    const { doc } = app.writeNow(() => app.journal(draft))
    const { fixed } = split(doc, JSON.parse(doc))!
    const stored = app.db.prepare<[], Buffer>('SELECT entry_hash FROM journal').pluck().get()!
    expect(stored.equals(hashEntry(Buffer.alloc(32), Buffer.alloc(32), `${fixed}pin`))).toBe(true)
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
    const { fixed, payload, doc } = render(it)
    expect(split(doc, JSON.parse(doc))).toEqual({ fixed, payload })
  })

  it('knows when a text is laid out otherwise', () => expect(split(JSON.stringify(entry), entry)).toBeNull())
})
