import type { AskField } from '#contract/ask-forms'
import { isRecord, type Json } from '../json.ts'
import { isWhole, known, list, optional, ordered, refuse, text, word } from './checks.ts'
import { chosen, isText, numeric, unbounded, uploads } from './kinds.ts'
import { wholly } from './patterns.ts'
import { countOf } from './text.ts'

const most = { label: 48, pattern: 200, type: 32 }
const keys = [
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
const kinds = [
  ['required', 'boolean'],
  ['multiple', 'boolean'],
  ['placeholder', 'string'],
  ['help', 'string'],
  ['pattern', 'string'],
] as const

/** A field as it is stored. */
export function fieldOf(given: unknown, where: string): AskField {
  if (!isRecord(given)) throw refuse(`${where} must be an object`)
  known(given, keys, where)
  const name = word(given['name'], /^[a-z][a-z0-9_]*$/, `${where}: name`)
  const label = text(given['label'], most.label, `${where}: label`)
  const type = text(given['type'], most.type, `${where}: type`)
  for (const [member, kind] of kinds)
    if (!optional(given[member], kind)) throw refuse(`${where}: ${member} must be a ${kind}`)
  if (!isAnswer(given['default'])) throw refuse(`${where}: default must be text, a number, true, false or a list`)
  const options = list(given['options'], `${where}: options`)
  if (chosen.has(type) && !options) throw refuse(`${where}: a ${type} needs options`)
  const currency = list(given['currency'], `${where}: currency`)
  if (given['multiple'] && !uploads.has(type)) throw refuse(`${where}: multiple belongs to file and photo`)
  checkRange(given, type, where)
  checkPattern(given['pattern'], type, where)
  return ordered({ ...given, name, label, type, options, currency }, keys) as unknown as AskField
}

const isAnswer = (value: unknown): boolean =>
  value == null || ['string', 'number', 'boolean'].includes(typeof value) || isList(value)
const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((it) => typeof it === 'string' || typeof it === 'number')

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
  if (typeof pattern !== 'string' || !pattern) return
  if (!isText(type)) throw refuse(`${where}: a ${type} has no pattern`)
  if (countOf(pattern) > most.pattern) throw refuse(`${where}: pattern must have at most ${most.pattern} characters`)
  try {
    wholly(pattern)
  } catch {
    throw refuse(`${where}: pattern must be a regular expression`)
  }
}
