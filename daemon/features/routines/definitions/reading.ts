import { hash } from 'node:crypto'
import { mostDefinition, type RoutineDefinition } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import { nestsDeeper } from '#kernel/http/json-depth'
import { problem } from '#kernel/problem'
import { isDeepYaml } from './depth.ts'
import { containsItself, flawsOfExpressions, readText } from './long.ts'
import { type Flaw, lookAt } from './rules.ts'

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
export async function readDefinition(app: App, given: unknown): Promise<Checked> {
  const value = typeof given === 'string' ? await fromText(app, given) : given
  const json = jsonOf(value)
  if (Buffer.byteLength(json) > mostDefinition)
    throw problem('routine_invalid', { field: 'definition', detail: 'A definition has at most 3 MiB' })
  if (nestsDeeper(json, deepest)) refuse([{ path: '', message: `A definition is at most ${deepest} levels deep` }])
  const { flaws, expressions } = lookAt(value)
  const all = [...flaws, ...(await flawsOfExpressions(app, expressions))]
  if (all.length) refuse(all)
  return { definition: value as RoutineDefinition, json, hash: hashOf(json) }
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return refuse([{ path: '', message: containsItself }])
  }
}

async function fromText(app: App, text: string): Promise<unknown> {
  if (isDeepYaml(text)) refuse([{ path: '', message: `A definition is at most ${deepest} levels deep` }])
  const found = await readText(app, text)
  return 'flaw' in found ? refuse([{ path: '', message: found.flaw }]) : found.value
}
