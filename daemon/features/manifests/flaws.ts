import type { TSchema } from 'typebox'
import { flawsIn } from '#kernel/http/validate'
import type { Path } from './types.ts'

/** What is wrong with a value by its schema, each with its place. */
export function schemaFlaws(schema: TSchema, value: unknown): { path: Path; detail: string }[] {
  return flawsIn(schema, value).map(({ field = '', message }) => {
    const path = field.split('.').filter(Boolean).map(step)
    return { path, detail: message.replace('is not a member that this endpoint takes', 'is unknown here') }
  })
}

const step = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text)
