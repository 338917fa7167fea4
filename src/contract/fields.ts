import { type TSchema, Type } from 'typebox'

export const slugPattern = '^[a-z0-9][a-z0-9_-]{1,49}$'
/** Slug of a crew or an agent: plain ASCII, so that no two can look alike. */
export const Slug = Type.String({
  maxLength: 50,
  pattern: slugPattern,
  description: 'a-z, 0-9, _ and -, 2 to 50 characters',
})

export const Id = Type.String()
/** An id as it is named in what agents send. */
export const Ref = Type.String({ maxLength: 64 })
export const Time = Type.String({ format: 'date-time' })

/** The same schema with null allowed. The type list keeps messages and documents plain. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Type.Static<T> | null>(
    'enum' in schema
      ? { ...schema, enum: [...(schema.enum as unknown[]), null] }
      : { ...schema, type: [(schema as unknown as { type: string }).type, 'null'] },
  )

/** A color of the web, as `#1a2` or `#11aa22`. */
export const Color = Type.String({ pattern: '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$', description: '#RGB or #RRGGBB' })

/** A day; what follows a `T` is left out. */
export const Day = Type.String({
  maxLength: 40,
  pattern: '^(\\d{4}-\\d{2}-\\d{2}(T[0-9:.+Z-]{0,28})?)?$',
  description: 'YYYY-MM-DD; "" for none',
})

export const oneLine = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$'

/** Text on one line for people: no control characters, which would break tables, logs and headers. */
export const line = (maxLength: number) =>
  Type.String({ maxLength, pattern: oneLine, description: `one line of at most ${maxLength} characters` })

/** A name whose length is counted once it is trimmed and normalized. */
export const Name = Type.String({ pattern: oneLine, description: 'one line of at most 100 characters' })

const email = '^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$'
const emailLength = 254
const emailPattern = new RegExp(email)
export const Email = Type.String({ maxLength: emailLength, pattern: email, description: 'an email address' })

/** Whether this could be somebody's address, by the same rule. */
export const isEmail = (text: string): boolean => text.length <= emailLength && emailPattern.test(text)

/** Text of any number of lines; only the character that ends a C string is refused. */
export const prose = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' })

/** The member of a schema that bounds a text by its bytes in UTF-8. */
export const byteLimit = 'x-max-bytes'

/** As `prose`, of at most so many bytes in UTF-8. */
export const proseOfBytes = (most: number) =>
  Type.String({ maxLength: most, [byteLimit]: most, pattern: '^[^\\u0000]*$' })

/** Bytes of the prompt of an agent, and of the description of a project or milestone, wherever they come from. */
export const [promptBytes, descriptionBytes] = [65_536, 8192]

const plain = Type.Union([prose(16_000), Type.Number(), Type.Boolean(), Type.Null()])
const short = '^[^\\u0000]{0,100}$'
const around = (value: TSchema): TSchema => Type.Union([value, Type.Array(value, { maxItems: 50 }), objectOf(value)])
const objectOf = (value: TSchema) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    patternProperties: { [short]: value },
    additionalProperties: false,
    maxProperties: 50,
  })

/** An object of any members, at most 50 at a time and three levels deep. */
export const anyMembers = objectOf(around(around(plain)))

/**
 * `limit` and `offset` of a list. Whatever they hold is taken as docs/rules/http.md, "Pages of a list" says: a bad
 * limit means
 * the
 * default, one that is too large the maximum, a bad offset 0.
 */
export const page = {
  limit: Type.Optional(Type.Unsafe<number | string>({ type: ['integer', 'string'], description: 'Rows at most' })),
  offset: Type.Optional(
    Type.Unsafe<number | string>({ type: ['integer', 'string'], description: 'Rows to leave out' }),
  ),
}
