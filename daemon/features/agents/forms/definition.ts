import type { AskField } from '#contract/ask-forms'
import { isRecord, type Json, parsed } from '../json.ts'
import { isWhole, known, optional, ordered, refuse, text, unique, word } from './checks.ts'
import { fieldOf } from './fields.ts'
import { currencyOf } from './kinds.ts'
import { placeholdersOf } from './rendering.ts'
import { countOf } from './text.ts'

const most = { forms: 4, fields: 6, label: 48, template: 2000 }
const keys = ['id', 'label', 'icon', 'version', 'template', 'attachment', 'fields'] as const
const attachments = ['none', 'optional', 'required']

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
  known(given, keys, where)
  const { icon, version, template, fields } = given
  const attachment = given['attachment'] || 'none'
  const id = word(given['id'], /^[a-z0-9][a-z0-9_-]*$/, `${where}: id`)
  const named = `form "${id}"`
  const label = text(given['label'], most.label, `${named}: label`)
  if (typeof template !== 'string' || countOf(template) > most.template)
    throw refuse(`${named}: template must be text of at most ${most.template} characters`)
  if (!attachments.includes(attachment as string))
    throw refuse(`${named}: attachment must be one of ${attachments.join(', ')}`)
  if (!optional(icon, 'string')) throw refuse(`${named}: icon must be text`)
  if (version && !(isWhole(version) && (version as number) >= 1))
    throw refuse(`${named}: version must be a whole number from 1`)
  if (!Array.isArray(fields) || fields.length === 0 || fields.length > most.fields)
    throw refuse(`${named}: fields must be 1 to ${most.fields} fields`)
  const clean = fields.map((it, at) => fieldOf(it, `${named}, field ${at + 1}`))
  checkNames(clean, named)
  checkPlaceholders(template, clean, named)
  return {
    ...ordered({ id, label, icon, version: version || null }, keys),
    template,
    attachment,
    fields: clean,
  }
}

function checkNames(fields: AskField[], where: string): void {
  const names = fields.map(({ name }) => name)
  unique(names, (name) => `${where}: two fields have the name "${name}"`)
  const shadowed = fields.find(({ name, type }) => type === 'money' && names.includes(currencyOf(name)))
  if (shadowed) throw refuse(`${where}: "${currencyOf(shadowed.name)}" is taken by the money field beside it`)
}

function checkPlaceholders(template: string, fields: AskField[], where: string): void {
  const known = fields.flatMap(({ name, type }) => (type === 'money' ? [name, currencyOf(name)] : [name]))
  const { names, rest } = placeholdersOf(template)
  const stray = names.find((name) => !known.includes(name))
  if (stray !== undefined) throw refuse(`${where}: the placeholder {{${stray}}} names no field of its form`)
  if (/\{\{|\}\}/.test(rest)) throw refuse(`${where}: a placeholder is written {{field}}`)
}
