import { callerMembers } from '#contract/agent-calls'
import type { Endpoint } from '#contract/define'

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  pattern?: string
  maxLength?: number
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
}

export const is = ({ type }: Schema, wanted: string) =>
  type === wanted || (Array.isArray(type) && type.includes(wanted))

/** Everything that a schema takes with this text in each place that takes one, names of members among them. */
function filled(schema: Schema, text: string): unknown[] {
  if (schema.enum) return []
  if (schema.anyOf) return schema.anyOf.flatMap((choice) => filled(choice, text))
  if (is(schema, 'string'))
    return (schema.maxLength ?? 0) > text.length && !schema.pattern?.includes('a-z') ? [`my ${text}.`] : []
  if (is(schema, 'array')) return [filled(schema.items ?? {}, text)]
  if (!is(schema, 'object')) return []
  const [free] = Object.values(schema.patternProperties ?? {})
  return [
    Object.fromEntries(
      (free ? filled(free, text) : []).map((value, index) => [index ? `${index} ${text}` : text, value]),
    ),
  ]
}

/** Bodies that put a text into every place of an operation's schema; together they reach each of them. */
export function bodiesWith({ body }: Endpoint, text: string): Record<string, unknown>[] {
  const members = Object.entries((body as Schema | undefined)?.properties ?? {}).filter(
    ([name]) => !(callerMembers as readonly string[]).includes(name),
  )
  const choices = members
    .map(([name, schema]) => [name, filled(schema, text)] as const)
    .filter(([, values]) => values.length > 0)
  const rounds = Math.max(...choices.map(([, values]) => values.length))
  return Array.from({ length: rounds }, (_, round) =>
    Object.fromEntries(choices.map(([name, values]) => [name, values[round % values.length]])),
  )
}
