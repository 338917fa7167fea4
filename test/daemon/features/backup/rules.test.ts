import { describe, expect, it } from 'vitest'
import type { BackupListed } from '#contract/backup'
import { expired, lockingOf } from '../../../../daemon/features/backup/rules.ts'

const now = Date.parse('2026-11-27T00:00:00Z')
const bundle = (day: string, more: Partial<BackupListed> = {}): BackupListed => ({
  path: `/b/${day}`,
  file_name: day,
  size_bytes: 1,
  encrypted: true,
  created_at: `2026-11-${day}T00:00:00Z`,
  ...more,
})
const all = ['26', '25', '20', '10', '01'].map((day) => bundle(day))
const names = (keep: Parameters<typeof expired>[1], rows = all) => expired(rows, keep, now).map((it) => it.file_name)

describe('expired', () => {
  it.each([
    [{ last: 2 }, ['20', '10', '01']],
    [{ last: 9 }, []],
    [{ days: 7 }, ['10', '01']],
    [{ last: 4, days: 7 }, ['01']],
    [{ last: 1, days: 30 }, []],
  ])('%j', (keep, wanted) => expect(names(keep)).toEqual(wanted))

  it('never takes the newest', () => expect(names({ days: 1 }, all.slice(4))).toEqual([]))

  it('neither counts nor takes what cannot be used', () => {
    const broken = bundle('27', { flaw: 'cut off' })
    expect(names({ last: 1 }, [broken, ...all])).toEqual(['25', '20', '10', '01'])
  })
})

describe('lockingOf', () => {
  const recipient = 'age10tsmh2sqzcrk5k62usxncne8tnn3rdjh722urj79wtf5p0dnn9jqem543r'
  it('takes exactly one way', () => {
    expect(lockingOf({ passphrase: 'x' })).toEqual({ kind: 'passphrase', passphrase: 'x' })
    expect(lockingOf({ recipient })).toEqual({ kind: 'recipient', recipient })
    expect(lockingOf({ no_encrypt: true })).toEqual({ kind: 'none' })
  })
  it.each([
    [{}],
    [{ passphrase: 'x', recipient }],
    [{ no_encrypt: true, passphrase: 'x' }],
    [{ no_encrypt: true, with_key: true }],
    [{ recipient: 'age1nonsense' }],
  ])('refuses %j', (ways) => expect(() => lockingOf(ways)).toThrow())
})
