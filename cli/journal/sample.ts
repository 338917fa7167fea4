import type { Entry, Severity } from '#contract/entries'

/** The parts of JSON Schema with which payloads are described. */
interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  not?: unknown
  items?: Schema
  properties?: Record<string, Schema>
  format?: string
  minimum?: number
}

/** A fact, as `journal types` lists it. */
interface Fact {
  entry_type: string
  severity: Severity
  payload?: Schema
}

/** An entry that nobody wrote. */
export type Sample = Entry & { sample: true }

const sampleId = 'csample00000000000000000'

/** An entry as a fact of this kind is stored, with values that only look like real ones. */
export function sampleOf({ entry_type, severity, payload }: Fact, id: string, now: Date): Sample {
  return {
    sample: true,
    id,
    workspace_id: sampleId,
    crew_id: sampleId,
    agent_id: sampleId,
    ts: now.toISOString(),
    entry_type,
    severity,
    priority: 'normal',
    actor_type: 'user',
    actor_id: sampleId,
    summary: `A sample of ${entry_type}`,
    payload: payload ? exampleOf(payload, '', now) : {},
    refs: {},
  } as Sample
}

function exampleOf(schema: Schema, name: string, now: Date): unknown {
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum.find((it) => it !== null)
  if (schema.anyOf) return exampleOf(schema.anyOf.find(({ type }) => type !== 'null') ?? {}, name, now)
  if (schema.type === 'array') return schema.items?.not ? [] : [exampleOf(schema.items ?? {}, name, now)]
  if (schema.type === 'object') return membersOf(schema, now)
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (schema.type === 'boolean') return true
  return schema.type === 'null' ? null : textOf(schema, name, now)
}

function membersOf({ properties = {} }: Schema, now: Date): Record<string, unknown> {
  const possible = Object.entries(properties).filter(([, schema]) => schema.not === undefined)
  return Object.fromEntries(possible.map(([name, schema]) => [name, exampleOf(schema, name, now)]))
}

function textOf({ format }: Schema, name: string, now: Date): string {
  if (format === 'date-time' || name.endsWith('_at')) return now.toISOString()
  if (name === 'id' || name.endsWith('_id')) return sampleId
  return name.includes('email') ? 'ada@example.com' : 'sample'
}

/** Puts a value at a path such as `payload.name`: text where there is text, else JSON where it is such. */
export function setAt(target: object, path: string, text: string): void {
  const names = path.split('.')
  const last = names.pop()!
  let at = target as Record<string, unknown>
  for (const name of names) {
    const inner = Object.hasOwn(at, name) ? at[name] : undefined
    const next = typeof inner === 'object' && inner !== null ? inner : {}
    define(at, name, next)
    at = next as Record<string, unknown>
  }
  const isText = Object.hasOwn(at, last) && typeof at[last] === 'string'
  define(at, last, isText ? text : parsed(text))
}

/** As an assignment, for any name. */
const define = (target: object, name: string, value: unknown): void =>
  void Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
