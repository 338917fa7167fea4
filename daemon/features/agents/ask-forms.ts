import { problem } from '#kernel/problem'
import { isRecord, type Json, parsed } from './json.ts'

const most = { forms: 4, fields: 6, name: 48, label: 48, template: 2000, pattern: 200, type: 32 }
const formKeys = ['id', 'label', 'icon', 'version', 'template', 'attachment', 'fields'] as const
const fieldKeys = [
  'name',
  'label',
  'type',
  'required',
  'placeholder',
  'help',
  'default',
  'options',
  'currency',
  'multiple',
  'min',
  'max',
  'pattern',
] as const
const attachments = ['none', 'optional', 'required']
const chosen = new Set(['select', 'multiselect'])
const uploads = new Set(['file', 'photo'])
const numeric = new Set(['number', 'money'])
const unbounded = new Set(['date', 'month', 'select', 'checkbox'])

const refuse = (detail: string) => problem('invalid_field', { field: 'ask_forms', detail: `ask_forms: ${detail}` })

/** Forms as they are stored: checked, in one order of members; null when there are none. */
export function askForms(given: string | null): string | null {
  if (given === null || given.trim() === '') return null
  const forms = parsed(given)
  if (forms === null) return null
  if (!Array.isArray(forms)) throw refuse('must be JSON: an array of forms, as text')
  if (forms.length > most.forms) throw refuse(`an agent has at most ${most.forms} forms`)
  const clean = forms.map(form)
  unique(
    clean.map(({ id }) => id),
    (id) => `two forms have the id "${id}"`,
  )
  return clean.length ? JSON.stringify(clean, null, 2) : null
}

function form(given: unknown, index: number): Json {
  const where = `form ${index + 1}`
  if (!isRecord(given)) throw refuse(`${where} must be an object`)
  known(given, formKeys, where)
  const { icon, version, template, fields, attachment = 'none' } = given
  const id = word(given['id'], /^[a-z0-9][a-z0-9_-]*$/, `${where}: id`)
  const named = `form "${id}"`
  const label = text(given['label'], most.label, `${named}: label`)
  if (typeof template !== 'string' || [...template].length > most.template)
    throw refuse(`${named}: template must be text of at most ${most.template} characters`)
  if (!attachments.includes(attachment as string))
    throw refuse(`${named}: attachment must be one of ${attachments.join(', ')}`)
  if (!optional(icon, 'string')) throw refuse(`${named}: icon must be text`)
  if (version != null && !isWhole(version)) throw refuse(`${named}: version must be a whole number`)
  if (!Array.isArray(fields) || fields.length === 0 || fields.length > most.fields)
    throw refuse(`${named}: fields must be 1 to ${most.fields} fields`)
  const clean = fields.map((it, at) => field(it, `${named}, field ${at + 1}`))
  checkNames(clean, named)
  checkPlaceholders(template, clean, named)
  return ordered({ id, label, icon, version, template, attachment, fields: clean }, formKeys)
}

function field(given: unknown, where: string): Json {
  if (!isRecord(given)) throw refuse(`${where} must be an object`)
  known(given, fieldKeys, where)
  const name = word(given['name'], /^[a-z][a-z0-9_]*$/, `${where}: name`)
  const label = text(given['label'], most.label, `${where}: label`)
  const type = text(given['type'], most.type, `${where}: type`)
  for (const [member, kind] of [
    ['required', 'boolean'],
    ['multiple', 'boolean'],
    ['placeholder', 'string'],
    ['help', 'string'],
    ['pattern', 'string'],
  ] as const)
    if (!optional(given[member], kind)) throw refuse(`${where}: ${member} must be a ${kind}`)
  const options = list(given['options'], `${where}: options`)
  if (chosen.has(type) && !options?.length) throw refuse(`${where}: a ${type} needs options`)
  const currency = list(given['currency'], `${where}: currency`)
  if (given['multiple'] != null && !uploads.has(type)) throw refuse(`${where}: multiple belongs to file and photo`)
  checkRange(given, type, where)
  checkPattern(given['pattern'], type, where)
  return ordered({ ...given, name, label, type, options, currency }, fieldKeys)
}

function checkRange({ min, max }: Json, type: string, where: string): void {
  for (const [member, value] of Object.entries({ min, max })) {
    if (value == null) continue
    if (unbounded.has(type)) throw refuse(`${where}: a ${type} has no ${member}`)
    const fits = numeric.has(type) ? typeof value === 'number' : isWhole(value) && (value as number) >= 0
    if (!fits) throw refuse(`${where}: ${member} must be a ${numeric.has(type) ? 'number' : 'whole number from 0'}`)
  }
  if (typeof min === 'number' && typeof max === 'number' && min > max) throw refuse(`${where}: min is above max`)
}

function checkPattern(pattern: unknown, type: string, where: string): void {
  if (pattern == null) return
  if (unbounded.has(type) || numeric.has(type) || uploads.has(type) || chosen.has(type))
    throw refuse(`${where}: a ${type} has no pattern`)
  if ((pattern as string).length > most.pattern)
    throw refuse(`${where}: pattern must have at most ${most.pattern} characters`)
  try {
    new RegExp(pattern as string)
  } catch {
    throw refuse(`${where}: pattern must be a regular expression`)
  }
}

function checkNames(fields: Json[], where: string): void {
  const names = fields.map(({ name }) => name)
  unique(names, (name) => `${where}: two fields have the name "${name}"`)
  const shadowed = fields.find(({ name, type }) => type === 'money' && names.includes(`${name}_currency`))
  if (shadowed) throw refuse(`${where}: "${shadowed['name']}_currency" is taken by the money field beside it`)
}

function checkPlaceholders(template: string, fields: Json[], where: string): void {
  const names = fields.flatMap(({ name, type }) => (type === 'money' ? [name, `${name}_currency`] : [name]))
  const rest = template.replace(/\{\{([^{}]*)\}\}/g, (whole, inner: string) => {
    if (!names.includes(inner.trim())) throw refuse(`${where}: the placeholder ${whole} names no field of its form`)
    return ''
  })
  if (/\{\{|\}\}/.test(rest)) throw refuse(`${where}: a placeholder is written {{field}}`)
}

function known(given: Json, keys: readonly string[], where: string): void {
  const stray = Object.keys(given).find((key) => !keys.includes(key))
  if (stray !== undefined) throw refuse(`${where}: there is no member "${stray.slice(0, 50)}"`)
}

function word(value: unknown, shape: RegExp, where: string): string {
  if (typeof value === 'string' && value.length <= most.name && shape.test(value)) return value
  throw refuse(`${where} must be at most ${most.name} of a-z, 0-9 and _, beginning with a letter or digit`)
}

function text(value: unknown, limit: number, where: string): string {
  const clean = typeof value === 'string' ? value.trim() : ''
  if (clean && [...clean].length <= limit) return clean
  throw refuse(`${where} must be text of at most ${limit} characters`)
}

function list(value: unknown, where: string): string[] | undefined {
  if (value == null) return undefined
  const clean = Array.isArray(value) ? value.map((it) => (typeof it === 'string' ? it.trim() : '')) : ['']
  if (clean.includes('')) throw refuse(`${where} must be texts that are not blank`)
  unique(clean, (it) => `${where} has "${it}" twice`)
  return clean
}

function unique(all: readonly unknown[], say: (twice: unknown) => string): void {
  const twice = all.find((it, index) => all.indexOf(it) !== index)
  if (twice !== undefined) throw refuse(say(twice))
}

const optional = (value: unknown, kind: 'string' | 'boolean'): boolean => value == null || typeof value === kind
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)

/** The members that are given, in the order of `keys`. */
const ordered = (members: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.flatMap((key) => (members[key] == null ? [] : [[key, members[key]]])))
