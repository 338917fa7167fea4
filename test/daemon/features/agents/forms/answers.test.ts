import { describe, expect, it } from 'vitest'
import type { AskField } from '#contract/ask-forms'
import { answersOf, type Values } from '../../../../../daemon/features/agents/forms/answers.ts'

const answers = (field: Partial<AskField>, values: Values, chat?: string) => {
  const form = { id: 'f', label: 'F', template: '', attachment: 'none' as const }
  return answersOf({ ...form, fields: [{ name: 'a', label: 'A', type: 'text', ...field }] }, values, chat)
}
const textOf = (...given: Parameters<typeof answers>) => {
  const { texts, errors } = answers(...given)
  expect(errors).toEqual([])
  return texts['a']
}
const flawOf = (...given: Parameters<typeof answers>) =>
  answers(...given).errors.map(({ field, code }) => `${field} ${code}`)

describe('a value', () => {
  it.each([
    ['text, verbatim', {}, ' x  y ', ' x  y '],
    ['text without control characters', {}, 'a\r\nb\u0000\tc\u007f', 'a\nbc'],
    ['a number', { type: 'number' }, 12.5, '12.5'],
    ['a number in words, verbatim', { type: 'number' }, '012.50', '012.50'],
    ['a date', { type: 'date' }, '2026-02-28', '2026-02-28'],
    ['a month', { type: 'month' }, '2026-12', '2026-12'],
    ['a choice', { type: 'select', options: ['a', 'b'] }, ' b ', 'b'],
    ['choices, with commas', { type: 'multiselect', options: ['a', 'b', 'c'] }, ['c', 'a'], 'c, a'],
    ['a box that is checked', { type: 'checkbox' }, true, 'yes'],
    ['a box that is not', { type: 'checkbox' }, false, ''],
    ['a box of which nothing is said', { type: 'checkbox' }, null, ''],
    ['a box that is empty', { type: 'checkbox' }, '', ''],
    ['a box that says no', { type: 'checkbox' }, 'no', ''],
    ['a path', { type: 'file' }, 'attachments/c/i/x.pdf', 'attachments/c/i/x.pdf'],
    ['a kind that nobody knows, as text', { type: 'colour' }, '#fff', '#fff'],
    ['blanks, as nothing', {}, ' \n ', ''],
    ['nothing', {}, null, ''],
  ] as const)('%s', (_, field, value, text) => {
    expect(textOf(field as Partial<AskField>, { a: value as never })).toBe(text)
  })

  it('of photos are paths, one a line; a bare name lies in the chat', () => {
    const given = { a: ['x.png', 'attachments/c1/i/y.png'] }
    expect(textOf({ type: 'photo', multiple: true }, given, 'c1')).toBe('attachments/c1/x.png\nattachments/c1/i/y.png')
    expect(textOf({ type: 'photo' }, { a: 'x.png' })).toBe('x.png')
  })

  it('that is not named is the default; one that is empty is not', () => {
    expect(textOf({ default: 'x' }, {})).toBe('x')
    expect(textOf({ default: 'x' }, { a: '' })).toBe('')
    expect(textOf({ type: 'checkbox', default: true }, {})).toBe('yes')
  })

  it('ends at 2,000 characters', () => {
    const long = answers({}, { a: '🙂'.repeat(2001) })
    expect(long).toEqual({ texts: { a: '🙂'.repeat(2000) }, errors: [], truncated: ['a'] })
    expect(answers({}, { a: '🙂'.repeat(2000) }).truncated).toEqual([])
  })

  it('of several files ends before the first that does not fit whole', () => {
    const cut = (...given: string[]) => answers({ type: 'file', multiple: true }, { a: given })
    const [x, y, z] = ['x'.repeat(1000), 'y'.repeat(999), 'z'.repeat(200)]
    expect(cut(x, y)).toMatchObject({ texts: { a: `${x}\n${y}` }, truncated: [] })
    expect(cut(x, y, 'z')).toMatchObject({ texts: { a: `${x}\n${y}` }, truncated: ['a'] })
    expect(cut(x, 'y', y, z)).toMatchObject({ texts: { a: `${x}\ny` }, truncated: ['a'] })
    expect(cut(x + x + 'x', y)).toMatchObject({ texts: { a: x + x }, truncated: ['a'] })
  })
})

describe('money', () => {
  const money = { type: 'money', currency: ['EUR', 'USD'] }
  const both = (values: Values, field: Partial<AskField> = money) => {
    const { texts, errors } = answers(field, values)
    expect(errors).toEqual([])
    return texts
  }

  it('comes with its currency, the first unless another one is given', () => {
    expect(both({ a: 12 })).toEqual({ a: '12', a_currency: 'EUR' })
    expect(both({ a: '12', a_currency: 'USD' })).toEqual({ a: '12', a_currency: 'USD' })
    expect(both({ a: 12, a_currency: 'CHF' }, { type: 'money' })).toEqual({ a: '12', a_currency: 'CHF' })
    expect(both({ a: 12 }, { type: 'money' })).toEqual({ a: '12', a_currency: '' })
  })

  it('has a currency of at most 2,000 characters, without control characters', () => {
    const free = { type: 'money' }
    expect(both({ a: 1, a_currency: 'x'.repeat(2001) }, free)).toEqual({ a: '1', a_currency: 'x'.repeat(2000) })
    expect(both({ a: 1, a_currency: 'C\u0000H\u0007F' }, free)).toEqual({ a: '1', a_currency: 'CHF' })
  })

  it('has no currency without an amount', () => {
    expect(both({ a_currency: 'USD' })).toEqual({ a: '', a_currency: '' })
  })

  it('refuses a currency that is not offered', () => {
    expect(flawOf(money, { a: 1, a_currency: 'CHF' })).toEqual(['a_currency options'])
  })
})

describe('an answer is refused', () => {
  it.each([
    ['required', { required: true }, {}],
    ['required', { required: true }, { a: '  ' }],
    ['required', { required: true, type: 'checkbox' }, { a: false }],
    ['required', { required: true, type: 'file' }, { a: [] }],
    ['number', { type: 'number' }, { a: 'twelve' }],
    ['number', { type: 'money' }, { a: '12 EUR' }],
    ['number', { type: 'number' }, { a: '1e999' }],
    ['min', { type: 'number', min: 1 }, { a: 0.5 }],
    ['max', { type: 'money', max: 10 }, { a: '10.01' }],
    ['min', { min: 2 }, { a: '🙂' }],
    ['max', { type: 'textarea', max: 2 }, { a: '🙂🙂🙂' }],
    ['max', { type: 'colour', max: 2 }, { a: 'red' }],
    ['min', { type: 'multiselect', options: ['a', 'b'], min: 2 }, { a: ['a'] }],
    ['max', { type: 'photo', multiple: true, max: 1 }, { a: ['a', 'b'] }],
    ['multiple', { type: 'file' }, { a: ['a', 'b'] }],
    ['multiple', { type: 'select', options: ['a', 'b'] }, { a: ['a', 'b'] }],
    ['multiple', {}, { a: ['a', 'b'] }],
    ['options', { type: 'select', options: ['a'] }, { a: 'b' }],
    ['options', { type: 'multiselect', options: ['a'] }, { a: ['a', 'b'] }],
    ['options', { type: 'checkbox' }, { a: 'maybe' }],
    ['pattern', { pattern: '[a-z]+' }, { a: 'ab1' }],
    ['pattern', { pattern: 'a|b' }, { a: 'ab' }],
    ['pattern', { type: 'colour', pattern: '#.' }, { a: 'red' }],
    ['pattern', { type: 'date' }, { a: '2026-02-30' }],
    ['pattern', { type: 'month' }, { a: '2026-13' }],
  ])('%s: %j in %j', (code, field, values) => {
    expect(flawOf(field as Partial<AskField>, values as Values)).toEqual([`a ${code}`])
  })

  it.each([
    [{ required: true }, null, 'A: an answer is needed'],
    [{ type: 'number' }, 'x', 'A: not a number'],
    [{ type: 'number', min: 1 }, 0, 'A: at least 1'],
    [{ max: 1 }, 'ab', 'A: at most 1 characters'],
    [{ type: 'multiselect', options: ['a'], min: 2 }, ['a'], 'A: at least 2 choices'],
    [{ type: 'photo', multiple: true, max: 1 }, ['a', 'b'], 'A: at most 1 files'],
  ] as const)('in words: %j', (field, value, detail) => {
    const { errors } = answers(field as Partial<AskField>, { a: value as never })
    expect(errors.map((error) => error.detail)).toEqual([detail])
  })

  it.each([
    [{ min: 1 }, {}],
    [{ type: 'number', min: 1, max: 1 }, { a: 1 }],
    [{ min: 2, max: 2 }, { a: '🙂🙂' }],
    [{ pattern: 'a|b' }, { a: 'b' }],
    [{ pattern: '.' }, { a: '🙂' }],
    [{ pattern: '\\-' }, { a: '-' }],
    [{ type: 'file', multiple: true, max: 2 }, { a: ['a', 'b'] }],
  ])('not: %j in %j', (field, values) => {
    expect(flawOf(field as Partial<AskField>, values as Values)).toEqual([])
  })

  it('by a pattern that takes too long, before anybody has to wait', () => {
    const begun = performance.now()
    expect(flawOf({ pattern: '(a+)+' }, { a: `${'a'.repeat(60)}b` })).toEqual(['a pattern'])
    expect(performance.now() - begun).toBeLessThan(5000)
  })
})
