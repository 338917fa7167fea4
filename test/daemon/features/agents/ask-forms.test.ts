import { describe, expect, it } from 'vitest'
import { askForms } from '../../../../daemon/features/agents/ask-forms.ts'

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
    ['a placeholder is written {{field}}', { ...form, template: '{{amount' }],
    ['two fields have the name "amount"', { ...form, fields: [field, field] }],
    ['"amount_currency" is taken', { ...form, fields: [field, { ...field, name: 'amount_currency', type: 'text' }] }],
    ['there is no member "secret"', withField({ secret: true })],
    ['required must be a boolean', withField({ required: 'yes' })],
    ['a select needs options', withField({ type: 'select' })],
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
