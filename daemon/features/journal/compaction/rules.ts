/** Types of which there are many and each of which says little: the only ones that are rolled up. */
export const compactedTypes = [
  'exec.output_chunk',
  'container.metrics',
  'network.port_opened',
  'network.port_closed',
  'llm.call',
] as const

/** The least entries of a day and type that are rolled up. */
export const smallestGroup = 10

export const dayMs = 86_400_000

/** Days that a workspace keeps entries in full when it does not say otherwise. */
export const usualDays = 30

/** The UTC day of a time in milliseconds, such as 2026-01-31. */
export const dayOf = (ts: number): string => new Date(ts).toISOString().slice(0, 10)

/** The first moment that is kept in full: whole days are rolled up, so that each is rolled up once. */
export const cutoffOf = (now: number, days: number): number => Math.floor(now / dayMs - days) * dayMs
