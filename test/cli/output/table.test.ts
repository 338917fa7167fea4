import { describe, expect, it } from 'vitest'
import { age, type Columns, human, plain, size, span, status, when, word } from '../../../cli/output/cell.ts'
import { select } from '../../../cli/output/json.ts'
import { membersOf, requireMembers } from '../../../cli/output/members.ts'
import { isWholeId, shortIds } from '../../../cli/output/short-id.ts'
import { detail, type TableForm, table as tableOf } from '../../../cli/output/table.ts'
import { painter } from '../../../cli/output/theme.ts'
import { detailTsv, tsv } from '../../../cli/output/tsv.ts'
import { pad, shorten, shortenWords, widthOf } from '../../../cli/output/width.ts'

const table = <T>(rows: readonly T[], columns: Columns<T>, form: TableForm) => tableOf(rows, columns, form).text
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

  const entries: Columns<string> = {
    ID: () => 'j_0199f3a2b1c0d4e5',
    SEVERITY: () => 'info',
    TYPE: () => 'chat.agent_response',
    SUMMARY: (text) => text,
    AGE: () => '2s',
  }

  it.each([
    [80, ['ID            SEVERITY  TYPE                 SUMMARY                         AGE']],
    [60, ['ID            SEVERITY  SUMMARY                          AGE']],
    [40, ['ID            SUMMARY']],
  ])('keeps what a row is about at %i columns', (width, head) => {
    const text = table(['Grace answered: "The report is in my folder now"'], entries, { ...plainly, width })
    expect(text.split('\n').slice(0, 1)).toEqual(head)
    expect(text).toContain('Grace answered: "The')
  })

  it('shows the beginning of titles without spaces', () => {
    const columns: Columns<string> = { ID: () => 'WEB-1', TITLE: (text) => text }
    const shown = (title: string) => table([title], columns, { ...plainly, width: 32 }).split('\n')[1]
    expect(shown('漢字の非常に長いタイトル漢字の非常に長いタイトル')).toBe('WEB-1  漢字の非常に長いタイトル…')
    expect(shown(`see ${'x'.repeat(60)}`)).toBe(`WEB-1  see ${'x'.repeat(20)}…`)
  })

  const deployed = { name: 'deploy-the-web-shop', count: 3, note: 'Ships the newest release to all of the regions' }

  it.each([
    [
      80,
      [
        'NAME                 COUNT  NOTE',
        'deploy-the-web-shop      3  Ships the newest release to all of the regions',
      ],
    ],
    [60, ['NAME                 COUNT  NOTE', 'deploy-the-web-shop      3  Ships the newest release to all…']],
    [40, ['NAME                 COUNT  NOTE', 'deploy-the-web-shop      3  Ships the…']],
    [30, ['NAME                 COUNT', 'deploy-the-web-shop      3']],
    [10, ['NAME', 'deploy-the-web-shop']],
  ])('keeps words whole at %i columns, and leaves out columns', (width, lines) => {
    expect(
      table([deployed], columns, { ...plainly, width })
        .trimEnd()
        .split('\n'),
    ).toEqual(lines)
  })

  it('says what it left out, and shows all of it when asked', () => {
    expect(tableOf([deployed], columns, { ...plainly, width: 30 }).left).toEqual(['NOTE'])
    const whole = tableOf([deployed], columns, { ...plainly, width: 30, uncut: true })
    expect(whole.left).toEqual([])
    expect(whole.text).toContain('to all of the regions')
  })

  it('keeps the age longer than most', () => {
    const rows = [{ a: 'a'.repeat(9) }]
    const long = (row: { a: string }) => row.a
    const headers = { NAME: long, B: long, C: long, D: long, E: long, AGE: () => '3d' }
    expect(tableOf(rows, headers, { ...plainly, width: 50 }).left).toEqual(['E'])
    expect(tableOf(rows, headers, { ...plainly, width: 35 }).left).toEqual(['D', 'E', 'AGE'])
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
    expect(shortenWords('one two three', 10)).toBe('one two…')
    expect(shortenWords('onetwothree', 6)).toBe('…')
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

  it.each([
    ['2025-12-31T23:59:59.900Z', '0s'],
    ['2025-12-31T23:55:00Z', '5m'],
    ['2025-12-22T00:00:00Z', '10d'],
  ])('counts the age since %s as %s', (time, text) => {
    expect(human(age(time, now)).text).toBe(text)
    expect(plain(age(time, now))).toBe(time)
  })

  it('writes words of the service in lower case, and leaves them alone for programs', () => {
    expect([human(word('API_KEY')).text, plain(word('API_KEY')), word(null)]).toEqual(['api-key', 'API_KEY', null])
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
})

describe('members', () => {
  const known = ['id', 'crew', 'crew.name', 'payload', 'payload.*']

  it.each(['id', 'crew.name', 'payload.any.thing'])('has %s', (field) => requireMembers([field], known))

  it.each(['nope', 'toString', 'crew.size', 'id.x'])('refuses %s', (field) =>
    expect(() => requireMembers([field], known)).toThrow(
      `There is no member "${field}"; choose from crew, id, payload.`,
    ),
  )

  it('are those of any row', () => expect(membersOf([{ a: 1 }, { b: { c: 2 } }, 5])).toEqual(['a', 'b', 'b.*']))
})

describe('short ids', () => {
  it.each([
    [
      ['c0mjuohs005e6fu6qxd87qvyr', 'c0mjuohs005e6fu6qxd87qvyz'],
      ['xd87qvyr', 'xd87qvyz'],
    ],
    [
      ['c0mjuohs005e6fu6qxd87qvyr', 'c0mjuohs005e7aaaaxd87qvyr', '-'],
      ['qxd87qvyr', 'axd87qvyr', '-'],
    ],
    [['ibx_escalation_c0mjuohs005e6fu6qxd87qvyr'], ['xd87qvyr']],
    [
      [
        'ibx_message_chat_reply_c0mjuohs005e6fu6qxd87qvyr_c0mjuohs005e6fu6qaaaaaaaa',
        'ibx_message_chat_reply_c0mjuohs005e6fu6qxd87qvyz_c0mjuohs005e6fu6qaaaaaaaa',
      ],
      ['xd87qvyr', 'xd87qvyz'],
    ],
    [
      ['j_0199f3a2b1c0d4e5', 'j_0199f3a2b1c0d4e6'],
      ['f3a2b1c0d4e5', 'f3a2b1c0d4e6'],
    ],
    [
      ['web-team', 'c0mjuohs'],
      ['web-team', 'c0mjuohs'],
    ],
  ])('of %j', (ids, short) => expect(shortIds(ids)).toEqual(short))

  it('know a whole id', () =>
    expect(
      [
        'c0mjuohs005e6fu6qxd87qvyr',
        `s_${'0'.repeat(64)}`,
        'ibx_message_chat_reply_c0mjuohs005e6fu6qxd87qvyr_c0mjuohs005e6fu6qaaaaaaaa',
        'xd87qvyr',
        'web',
      ].map(isWholeId),
    ).toEqual([true, true, true, false, false]))
})
