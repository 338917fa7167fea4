type Json = Record<string, unknown>

/** Lists whose order says something. */
const ordered = ['args']

/** A member as it is compared: blank text means "none", and lists of names have no order. */
export function tidy(member: string, value: unknown): unknown {
  if (value === '') return null
  if (!Array.isArray(value)) return value
  if (member === 'bindings') return tidyBindings(value as Json[])
  const isNames = value.every((it) => typeof it === 'string')
  return isNames && !ordered.includes(member) ? [...value].sort() : value
}

/** Bindings in the order of their agents, without what they would be anyway. */
export const tidyBindings = (bindings: readonly Json[]): Json[] =>
  bindings
    .map((binding) =>
      Object.fromEntries(Object.entries(binding).filter(([name, it]) => it !== null && it !== usual[name])),
    )
    .sort((a, b) => (String(a['agent']) < String(b['agent']) ? -1 : 1))

const usual: Json = { type: 'bearer', enabled: true }
