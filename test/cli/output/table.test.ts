import { describe, expect, it } from 'vitest'
import { type Columns, human, plain, size, span, status, when } from '../../../cli/output/cell.ts'
import { missing, select } from '../../../cli/output/json.ts'
import { detail, table } from '../../../cli/output/table.ts'
import { painter } from '../../../cli/output/theme.ts'
import { detailTsv, tsv } from '../../../cli/output/tsv.ts'
import { pad, shorten, widthOf } from '../../../cli/output/width.ts'

const plainly = { width: 80, paint: painter(false) }
type Row = { name: string; count: number | null; note?: string }
const columns: Columns<Row> = { NAME: (row) => row.name, COUNT: (row) => row.count, NOTE: (row) => row.note }

describe('table', () => {
  it('aligns columns, numbers to the right, and marks what is absent', () => {
    expect(
      table(
        [
          { name: 'api', count: 5, note: 'x' },
          { name: 'frontend', count: 12 },
        ],
        columns,
        plainly,
      ),
    ).toBe(['NAME      COUNT  NOTE', 'api           5  x', 'frontend     12  -', ''].join('\n'))
  })

  it('measures wide and combining characters', () => {
    const rows = [
      { name: '日本語', count: null, note: 'a' },
      { name: 'é', count: null, note: '👩‍👩‍👧' },
      { name: 'abcdef', count: null, note: 'b' },
    ]
    const lines = table(rows, columns, plainly).split('\n').slice(1, 4)
    expect(lines.map((line) => widthOf(line.slice(0, line.indexOf('-'))))).toEqual([8, 8, 8])
  })

  it.each([80, 40, 30])('fits into %i columns, cutting the widest first', (width) => {
    const rows = [{ name: 'n'.repeat(50), count: 3, note: 'ö'.repeat(90) }]
    const text = table(rows, columns, { ...plainly, width })
    for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width)
    expect(text).toContain('…')
    expect(text).toContain(' 3 ')
  })

  it('is not fooled by control characters in cells', () => {
    expect(table([{ name: '\u001b[31ma\u001b[0m\nb', count: 1, note: '\t' }], columns, plainly)).toBe(
      'NAME  COUNT  NOTE\na b       1  -\n',
    )
  })

  it('colours cells without disturbing the alignment', () => {
    const text = table(
      [
        { s: 'RUNNING', n: 'x' },
        { s: 'FAILED', n: 'y' },
      ],
      { S: (row) => status(row.s), N: (row) => row.n },
      { width: 80, paint: painter(true) },
    )
    expect(text).toContain('\u001b[32mrunning\u001b[39m  x')
    expect(text).toContain('\u001b[31mfailed \u001b[39m  y')
  })
})

describe('other forms', () => {
  it('writes tab-separated lines without header, one line a row', () => {
    expect(
      tsv(
        [
          { name: 'a\tb\nc', count: 1 },
          { name: 'd', count: null, note: '\u001b[2J!' },
        ],
        columns,
      ),
    ).toBe('a b c\t1\t\nd\t\t!\n')
  })

  it('shows one thing line by line, leaving out what is absent for people only', () => {
    const row = { name: 'api', count: null }
    expect(detail(row, { Name: (it: Row) => it.name, Count: (it) => it.count }, plainly)).toBe('Name  api\n')
    expect(detailTsv(row, { Name: (it: Row) => it.name, Count: (it) => it.count })).toBe('Name\tapi\nCount\t\n')
  })

  it('cuts by columns, not by code units', () => {
    expect(shorten('日本語日本語', 5)).toBe('日本…')
    expect(shorten('abc', 3)).toBe('abc')
    expect(pad('日本', 6)).toBe('日本  ')
    expect(pad('ab', 4, true)).toBe('  ab')
  })
})

describe('cells', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    ['2025-12-31T23:59:59.900Z', 'now'],
    ['2025-12-31T23:59:30Z', '30 s ago'],
    ['2025-12-31T22:00:00Z', '2 h ago'],
    ['2025-12-22T00:00:00Z', '10 d ago'],
    ['2026-01-01T00:05:00Z', 'in 5 min'],
  ])('reads %s as %s', (time, text) => {
    expect(human(when(time, now)).text).toBe(text)
    expect(plain(when(time, now))).toBe(time)
  })

  it('keeps what is no time', () => {
    expect(human(when(null))).toEqual({ text: '-', tone: 'dim' })
    expect(human(when('soon')).text).toBe('soon')
  })

  it('writes numbers of bytes and seconds', () => {
    expect([0, 999, 1000, 1_500_000, 2e15].map((bytes) => human(size(bytes)).text)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '1.5 MB',
      '2000.0 TB',
    ])
    expect(plain(size(1500))).toBe('1500')
    expect([0, 59, 60, 7199, 90_000].map(span)).toEqual(['0 s', '59 s', '1 min', '1 h', '1 d'])
  })

  it('writes truth as words', () =>
    expect([human(true).text, human(false).text, plain(false), plain(0)]).toEqual(['yes', 'no', 'false', '0']))
})

describe('select', () => {
  const rows = [
    { id: 1, a: { b: 2 } },
    { id: 3, extra: null },
  ]

  it('keeps the named members, in that order', () => {
    expect(select(rows, ['a.b', 'id'])).toEqual([
      { 'a.b': 2, id: 1 },
      { 'a.b': null, id: 3 },
    ])
    expect(select({ id: 1, b: 2 }, ['b'])).toEqual({ b: 2 })
    expect(select(rows, [])).toBe(rows)
    expect(select([], ['anything'])).toEqual([])
  })

  it('knows the names that nothing has', () => {
    expect(select(rows, ['toString'])).toEqual([{ toString: null }, { toString: null }])
    expect(missing(rows, ['id', 'nope', 'toString'])).toEqual({
      fields: ['nope', 'toString'],
      known: ['id', 'a', 'extra'],
    })
    expect(missing(rows, ['a.b', 'extra'])).toEqual({ fields: [], known: [] })
    expect(missing([], ['nope'])).toEqual({ fields: [], known: [] })
  })
})
