import { describe, expect, it } from 'vitest'
import { askFieldTypes } from '#contract/ask-forms'
import { askForms } from '../../../../../daemon/features/agents/forms/definition.ts'

const rest = { label: 'Expense', template: 'Pay {{amount}} {{ amount_currency }}' }
const field = { name: 'amount', label: 'Amount', type: 'money' }
const form = { id: 'expense', ...rest, fields: [field] }
const stored = (...forms: unknown[]) => askForms(JSON.stringify(forms))
const withField = (more: object) => ({ ...form, template: '', fields: [{ ...field, ...more }] })

describe('askForms', () => {
  it('stores one form of writing, whatever order and blanks came', () => {
    const given = { icon: null, fields: [{ type: 'money', label: ' Amount ', name: 'amount' }], ...rest, id: 'expense' }
    expect(stored(given)).toBe(stored(form))
    expect(stored(form)).toBe(`[
  {
    "id": "expense",
    "label": "Expense",
    "template": "Pay {{amount}} {{ amount_currency }}",
    "attachment": "none",
    "fields": [
      {
        "name": "amount",
        "label": "Amount",
        "type": "money"
      }
    ]
  }
]`)
  })

  it('leaves out what is empty, keeps a bound of 0, and gives the attachment its default', () => {
    const empty = { required: false, placeholder: '', help: null, options: [], currency: [], multiple: false }
    expect(stored({ ...withField({ ...empty, min: 0, pattern: '' }), icon: '', version: 0, attachment: '' })).toBe(
      stored(withField({ min: 0 })),
    )
  })

  it('is read and written again without a change, and escapes no HTML', () => {
    const all = {
      ...form,
      icon: 'key',
      version: 2,
      attachment: 'optional',
      template: '<b>{{amount}} & {{ amount }}</b>',
    }
    const text = stored(all)!
    expect(askForms(text)).toBe(text)
    expect(Object.keys(JSON.parse(text)[0])).toEqual([
      'id',
      'label',
      'icon',
      'version',
      'template',
      'attachment',
      'fields',
    ])
    expect(text).toContain('"template": "<b>{{amount}} & {{ amount }}</b>"')
  })

  it('takes every kind of field that there is', () => {
    for (const type of askFieldTypes) expect(stored(withField({ type, options: ['a'] }))).toContain(`"type": "${type}"`)
  })

  it('takes 4 forms of 6 fields', () => {
    const fields = Array.from({ length: 6 }, (_, n) => ({ ...field, name: `f${n}` }))
    const forms = Array.from({ length: 4 }, (_, n) => ({ ...form, id: `f${n}`, template: '', fields }))
    expect(JSON.parse(stored(...forms)!)).toHaveLength(4)
  })

  it.each([
    { label: '🙂'.repeat(48) },
    { type: 'x'.repeat(32) },
    { type: 'text', pattern: 'x'.repeat(200) },
    { type: 'text', min: 0, max: 0 },
    { type: 'number', min: -1.5, max: -1.5 },
    { type: 'text', placeholder: 'A', help: 'B', required: true },
    { type: 'file', multiple: true },
    { currency: ['EUR', 'USD'] },
    { default: 'x' },
    { default: 5 },
    { default: true },
    { type: 'multiselect', options: ['a', 'b'], default: ['a'] },
    { default: [1, 'a'] },
  ])('keeps the members of a field: %.40j', (more) => {
    expect(JSON.parse(stored(withField(more))!)[0].fields).toEqual([{ ...field, ...more }])
  })

  it('counts versions from 1', () =>
    expect(JSON.parse(stored({ ...form, version: 1 })!)[0]).toMatchObject({ version: 1 }))

  it('counts characters, not bytes or code units', () => {
    const label = '🙂'.repeat(48)
    expect(stored({ ...form, label, template: '🙂'.repeat(2000) })).toContain(label)
    expect(() => stored({ ...form, label: `${label}🙂` })).toThrow('at most 48')
    expect(() => stored({ ...form, template: '🙂'.repeat(2001) })).toThrow('at most 2000')
  })

  it.each([[null], [''], ['  '], ['[]'], ['null']])('of %j are none', (given) => expect(askForms(given)).toBeNull())

  it('take a type that nobody knows, as text', () => {
    expect(stored(withField({ type: 'colour', pattern: '^#', min: 3, max: 9 }))).toContain('"colour"')
  })

  it.each([
    ['must be JSON', 'x'],
    ['must be JSON', '{}'],
    ['at most 4 forms', JSON.stringify(Array.from({ length: 5 }, (_, n) => ({ ...form, id: `f${n}` })))],
    ['two forms have the id "expense"', JSON.stringify([form, form])],
  ])('says: %s', (says, given) => expect(() => askForms(given)).toThrow(says))

  it.each([
    ['form 1 must be an object', 5],
    ['there is no member "colour"', { ...form, colour: 1 }],
    ['form 1: id', { ...form, id: 'Expense' }],
    ['form 1: id', { ...form, id: 'x'.repeat(49) }],
    ['label must be text of at most 48', { ...form, label: 'x'.repeat(49) }],
    ['template must be text of at most 2000', { ...form, template: 'x'.repeat(2001) }],
    ['attachment must be one of none, optional, required', { ...form, attachment: 'some' }],
    ['fields must be 1 to 6', { ...form, fields: [] }],
    ['fields must be 1 to 6', { ...form, fields: Array.from({ length: 7 }, () => field) }],
    ['the placeholder {{day}} names no field', { ...form, template: '{{day}}' }],
    ['the placeholder {{}} names no field', { ...form, template: '{{}}' }],
    ['form "expense": the placeholder {{day}}', { ...form, template: 'On {{ day }}' }],
    ['a placeholder is written {{field}}', { ...form, template: '{{amount' }],
    ['a placeholder is written {{field}}', { ...form, template: '{{\namount}}' }],
    ['a placeholder is written {{field}}', { ...form, template: 'amount}}' }],
    ['version must be a whole number from 1', { ...form, version: -1 }],
    ['version must be a whole number from 1', { ...form, version: '1' }],
    ['label must not have control characters', { ...form, label: 'a\u0007b' }],
    ['options must not have control characters', withField({ type: 'select', options: ['a\nb'] })],
    ['label must be text of at most 48', withField({ label: '🙂'.repeat(49) })],
    ['type must be text of at most 32', withField({ type: 'x'.repeat(33) })],
    ['default must be', withField({ default: {} })],
    ['default must be', withField({ default: [{}] })],
    ['default must be', withField({ default: [true] })],
    ['placeholder must be a string', withField({ placeholder: 5 })],
    ['help must be a string', withField({ help: {} })],
    ['pattern must be a string', withField({ type: 'text', pattern: 5 })],
    ['multiple must be a boolean', withField({ type: 'file', multiple: 'yes' })],
    ['currency must be texts', withField({ currency: [5] })],
    ['version must be a whole number from 1', { ...form, version: 1.5 }],
    ['max must be a number', withField({ max: '3' })],
    ['a select has no pattern', withField({ type: 'select', options: ['a'], pattern: 'a' })],
    ['a file has no pattern', withField({ type: 'file', pattern: 'a' })],
    ['must be a regular expression', withField({ type: 'text', pattern: 'a)|(b' })],
    ['a checkbox has no max', withField({ type: 'checkbox', max: 1 })],
    ['a month has no max', withField({ type: 'month', max: 1 })],
    ['a select has no max', withField({ type: 'select', options: ['a'], max: 1 })],
    ['min must be a whole number from 0', withField({ type: 'file', min: -1 })],
    ['two fields have the name "amount"', { ...form, fields: [field, field] }],
    ['"amount_currency" is taken', { ...form, fields: [field, { ...field, name: 'amount_currency', type: 'text' }] }],
    ['there is no member "secret"', withField({ secret: true })],
    ['required must be a boolean', withField({ required: 'yes' })],
    ['a select needs options', withField({ type: 'select' })],
    ['a multiselect needs options', withField({ type: 'multiselect', options: [] })],
    ['form 1: id', { ...form, id: null }],
    ['form 1: id', { ...form, id: 'a b' }],
    ['label must be text', { ...form, label: ' ' }],
    ['fields must be 1 to 6', { ...form, fields: null }],
    ['field 1 must be an object', { ...form, fields: [null] }],
    ['options has "a" twice', withField({ type: 'select', options: ['a', ' a '] })],
    ['options must be texts', withField({ type: 'select', options: ['a', ' '] })],
    ['multiple belongs to file and photo', withField({ multiple: true })],
    ['a date has no min', withField({ type: 'date', min: 1 })],
    ['max must be a whole number from 0', withField({ type: 'text', max: 1.5 })],
    ['min is above max', withField({ min: 2, max: 1 })],
    ['a money has no pattern', withField({ pattern: '1' })],
    ['at most 200 characters', withField({ type: 'text', pattern: 'x'.repeat(201) })],
    ['must be a regular expression', withField({ type: 'text', pattern: '(' })],
  ])('says: %s', (says, given) => expect(() => stored(given)).toThrow(says))
})
