import fc from 'fast-check'

/** The parts of a JSON schema that inputs are made from. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  examples?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
}

/** Names in use, by what they name: `crew` -> ids of crews. */
export type Names = Map<string, string[]>

/** `crew_id`, `crewId` -> `crew`. */
export const named = (member: string): string => member.replace(/(_id|Id)$/, '').toLowerCase()

/** What clients send by mistake, and what others send on purpose. */
export const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '💥',
    'é'.repeat(300),
    'x'.repeat(5000),
    '__proto__',
    'constructor',
    'null',
    '-1',
    '0',
    '1e309',
    'NaN',
  ),
  fc.constantFrom(
    "'; DROP TABLE users; --",
    '" OR 1=1',
    '%',
    '%25',
    '../../../etc/passwd',
    '..\\..',
    '<script>',
    '{{7*7}}',
    '\r\nx: y',
    'a/b',
    '?',
    '#',
    '\u202e',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, [], {}, [[]], [null], {
    id: 1,
  }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Inputs for a schema. The polite mood gives what is asked for; the hostile one spoils some of it. */
export function inputs(mood: 'polite' | 'hostile', names: Names) {
  const maybe = (usual: fc.Arbitrary<unknown>, spoilt: fc.Arbitrary<unknown> = hostileValue): fc.Arbitrary<unknown> =>
    mood === 'polite' ? usual : fc.oneof({ arbitrary: usual, weight: 4 }, { arbitrary: spoilt, weight: 1 })

  /** One of the names in use, chosen when the input is made and not before. */
  const nameOf = (what: string) =>
    fc.nat().map((index) => {
      const known = names.get(what) ?? []
      return known[index % known.length] ?? 'none'
    })

  function text(schema: Schema, member: string): fc.Arbitrary<string> {
    if (/(_id|Id)$/.test(member)) return nameOf(named(member))
    if (schema.format === 'date-time')
      return fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
        .map((date) => date.toISOString())
    const { minLength = 0, maxLength, pattern } = schema
    const size = { minLength, maxLength: Math.max(minLength, Math.min(maxLength ?? 60, 60)) }
    const ends = [
      'x'.repeat(minLength),
      ...(maxLength ? ['x'.repeat(maxLength), 'é'.repeat(maxLength), `${'x '.repeat(maxLength / 2)}`] : []),
    ]
    const words = fc.oneof(
      fc.constantFrom('alpha', 'beta-2', 'gamma ray'),
      fc.string({ ...size, unit: 'grapheme-ascii' }),
      fc.constantFrom(...ends),
    )
    return pattern ? fc.oneof(matching(pattern), words) : words
  }

  function value(schema: Schema, member = ''): fc.Arbitrary<unknown> {
    const { type, items = {} } = schema
    if ('const' in schema) return maybe(fc.constant(schema.const))
    if (schema.enum) return maybe(fc.constantFrom(...schema.enum))
    if (schema.examples) return maybe(fc.constantFrom(...schema.examples))
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((choice) => value(choice, member)))
    if (Array.isArray(type)) return fc.oneof(...type.map((one) => value({ ...schema, type: one }, member)))
    if (type === 'string') return maybe(text(schema, member))
    if (type === 'integer' || type === 'number') return maybe(numbers(schema))
    if (type === 'boolean') return maybe(fc.boolean())
    if (type === 'null') return fc.constant(null)
    if (type === 'array')
      return maybe(
        fc.array(value(items, member), {
          minLength: schema.minItems ?? 0,
          maxLength: Math.min(schema.maxItems ?? 3, 3),
        }),
      )
    if (type === 'object') return maybe(object(schema))
    return hostileValue
  }

  function object({ properties = {}, required = [], patternProperties }: Schema): fc.Arbitrary<unknown> {
    const optional = Object.keys(properties).filter((name) => !required.includes(name))
    const known = fc
      .subarray(optional, mood === 'polite' ? { maxLength: Math.min(3, optional.length) } : {})
      .chain((chosen) =>
        fc.record(
          Object.fromEntries([...required, ...chosen].map((name) => [name, value(properties[name] ?? {}, name)])),
        ),
      )
    const [free] = Object.values(patternProperties ?? {})
    const more = free
      ? fc.dictionary(fc.stringMatching(/^[A-Za-z_]{1,10}$/), value(free), { maxKeys: 3 })
      : fc.constant({})
    const surplus =
      mood === 'polite'
        ? fc.constant({})
        : fc.oneof(fc.constant({}), fc.dictionary(hostileText, hostileValue, { maxKeys: 2 }))
    const lacking = (whole: object) =>
      required.length
        ? fc
            .constantFrom(...required)
            .map((name) => Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name)))
        : fc.constant(whole)
    const whole = fc.tuple(known, more, surplus).map((parts) => Object.assign({}, ...parts) as object)
    return mood === 'polite'
      ? whole
      : whole.chain((made) =>
          fc.oneof({ arbitrary: fc.constant(made), weight: 5 }, { arbitrary: lacking(made), weight: 1 }),
        )
  }

  return { value, nameOf, maybe }
}

function numbers({ type, minimum = -1000, maximum = 1_000_000 }: Schema): fc.Arbitrary<number> {
  const [min, max] = [Math.ceil(minimum), Math.floor(Math.min(maximum, 2 ** 53 - 1))]
  const whole = fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max))
  return type === 'integer' ? whole : fc.oneof(whole, fc.double({ min: minimum, max: maximum, noNaN: true }))
}

function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' })
  } catch {
    return fc.constant('alpha')
  }
}
