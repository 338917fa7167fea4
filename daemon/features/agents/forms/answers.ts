import type { AnswerError, AskField, AskForm, AskValue } from '#contract/ask-forms'
import { chosen, currencyOf, isText, numeric, uploads } from './kinds.ts'
import { fits } from './patterns.ts'
import { capped, clean, countOf } from './text.ts'

export const mostOfValue = 2000

export type Values = Readonly<Record<string, AskValue | null | undefined>>

/** What is put in the place of each placeholder, and what is wrong with the answers. */
export interface Answers {
  texts: Record<string, string>
  errors: AnswerError[]
  /** Fields whose value was cut off. */
  truncated: string[]
}

type Code = AnswerError['code']
type Flaw = readonly [code: Code, detail: string]

/** Reads the answers to a form; `chatId` is where uploads are that are given by their bare name. */
export function answersOf(form: AskForm, values: Values, chatId: string | undefined): Answers {
  const answers: Answers = { texts: {}, errors: [], truncated: [] }
  for (const field of form.fields) {
    const items = itemsOf(field, values, chatId)
    const flaw = flawOf(field, items)
    if (flaw) answers.errors.push({ field: field.name, code: flaw[0], detail: `${field.label}: ${flaw[1]}` })
    const whole = joined(field, items)
    const text = cut(field, items)
    answers.texts[field.name] = text
    if (text !== whole) answers.truncated.push(field.name)
    if (field.type === 'money') addCurrency(answers, field, values, text)
  }
  return answers
}

/** What was answered, without blanks; the default where the field is not named at all. */
function itemsOf({ name, type, default: usual }: AskField, values: Values, chatId: string | undefined): string[] {
  const given = Object.hasOwn(values, name) ? values[name] : usual
  if (type === 'checkbox') return checked(given)
  const items = (Array.isArray(given) ? given : [given ?? '']).map((it) => clean(String(it)))
  const said = items.filter((it) => it.trim())
  if (uploads.has(type)) return said.map((it) => placeOf(it.trim(), chatId))
  return chosen.has(type) ? said.map((it) => it.trim()) : said
}

function checked(given: AskValue | null | undefined): string[] {
  const word = String(Array.isArray(given) ? given.join() : (given ?? '')).trim()
  return ['', 'false', 'no'].includes(word) ? [] : [word === 'true' ? 'yes' : word]
}

const placeOf = (upload: string, chatId: string | undefined): string =>
  upload.includes('/') || chatId === undefined ? upload : `attachments/${chatId}/${upload}`

const joined = ({ type }: AskField, items: string[]): string => items.join(uploads.has(type) ? '\n' : ', ')

/** Of several items as many as fit whole. */
function cut(field: AskField, items: string[]): string {
  const fitting = items.findLastIndex((_, at) => countOf(joined(field, items.slice(0, at + 1))) <= mostOfValue)
  return capped(joined(field, items.slice(0, Math.max(fitting + 1, 1))), mostOfValue)
}

function flawOf(field: AskField, items: string[]): Flaw | undefined {
  const { type, required, multiple } = field
  if (!items.length) return required ? ['required', 'an answer is needed'] : undefined
  if (items.length > 1 && type !== 'multiselect' && !multiple) return ['multiple', 'only one can be given']
  if (type === 'checkbox') return items[0] === 'yes' ? undefined : ['options', 'yes or no']
  if (chosen.has(type)) return strange(field.options, items) ?? beyond(field, items.length, 'choices')
  if (uploads.has(type)) return beyond(field, items.length, 'files')
  const text = items[0]!
  if (numeric.has(type)) return isNumber(text) ? beyond(field, Number(text), '') : ['number', 'not a number']
  if (type === 'date' || type === 'month') return isDay(type, text) ? undefined : ['pattern', `not a ${type}`]
  return isText(type) ? (beyond(field, countOf(text), 'characters') ?? unfit(field, text)) : undefined
}

function strange(options: string[] = [], items: string[]): Flaw | undefined {
  if (items.every((it) => options.includes(it))) return undefined
  return ['options', `must be one of ${options.join(', ')}`]
}

function beyond({ min, max }: AskField, amount: number, of: string): Flaw | undefined {
  if (min !== undefined && amount < min) return ['min', `at least ${min} ${of}`.trim()]
  if (max !== undefined && amount > max) return ['max', `at most ${max} ${of}`.trim()]
  return undefined
}

const unfit = ({ pattern }: AskField, text: string): Flaw | undefined =>
  pattern === undefined || fits(pattern, text) ? undefined : ['pattern', `does not fit ${pattern}`]

const isNumber = (text: string): boolean => /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text.trim())

function isDay(type: 'date' | 'month', text: string): boolean {
  const day = type === 'date' ? text.trim() : `${text.trim()}-01`
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00Z`) : null
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}

/** An amount that was left out has no currency. */
function addCurrency({ texts, errors }: Answers, { name, label, currency }: AskField, values: Values, amount: string) {
  const beside = currencyOf(name)
  const given = clean(String(values[beside] ?? '')).trim()
  const text = given || (currency?.[0] ?? '')
  texts[beside] = amount ? capped(text, mostOfValue) : ''
  if (amount && given && currency?.length && !currency.includes(given))
    errors.push({ field: beside, code: 'options', detail: `${label}: currency must be one of ${currency.join(', ')}` })
}
