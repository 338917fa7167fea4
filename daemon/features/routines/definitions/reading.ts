import { hash } from 'node:crypto'
import { parse, YAMLParseError } from 'yaml'
import type { RoutineDefinition } from '#contract/routine-definition'
import { nestsDeeper } from '#kernel/http/json-depth'
import { problem } from '#kernel/problem'
import { isDeepYaml } from './depth.ts'
import { type Flaw, flawsOf } from './rules.ts'

/** Most bytes of a definition, as JSON. */
const sizeLimit = 1024 * 1024

/** Objects and lists within each other. */
const deepest = 100

/** A definition as it is stored: its text, and the hash by which a change is noticed. */
export interface Checked {
  definition: RoutineDefinition
  json: string
  hash: string
}

export const hashOf = (json: string): string => hash('sha256', json, 'hex')

const refuse = (flaws: readonly Flaw[]): never => {
  const [{ path, message }] = flaws as readonly [Flaw]
  throw problem('routine_invalid', {
    field: path ? `definition.${path}` : 'definition',
    detail: path ? `${path} ${message}` : message,
    extra: { errors: flaws.slice(0, 50) },
  })
}

/** Reads a definition that came as an object, or as text in JSON or YAML, and refuses it with all that is wrong. */
export function readDefinition(given: unknown): Checked {
  const value = typeof given === 'string' ? fromText(given) : given
  const json = jsonOf(value)
  if (Buffer.byteLength(json) > sizeLimit)
    throw problem('routine_invalid', { field: 'definition', detail: 'A definition has at most 1 MiB' })
  if (nestsDeeper(json, deepest)) refuse([{ path: '', message: `A definition is at most ${deepest} levels deep` }])
  const flaws = flawsOf(value)
  if (flaws.length) refuse(flaws)
  return { definition: value as RoutineDefinition, json, hash: hashOf(json) }
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return refuse([{ path: '', message: 'A definition must not contain itself' }])
  }
}

function fromText(text: string): unknown {
  if (isDeepYaml(text)) refuse([{ path: '', message: `A definition is at most ${deepest} levels deep` }])
  try {
    return parse(text, { maxAliasCount: 100 })
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined
    const [said = ''] = (error as Error).message.split('\n')
    return refuse([{ path: '', message: `The definition cannot be read${line ? ` at line ${line}` : ''}: ${said}` }])
  }
}
