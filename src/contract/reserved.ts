/**
 * Addresses of endpoints to come that look like an id below a resource. They answer as unknown addresses, never as an
 * unknown thing of that id.
 */
export const reserved = [
  '/api/v1/credentials/bindings',
  '/api/v1/credentials/reveal-policy',
  '/api/v1/runs/insights',
] as const

const known = new Set<string>(reserved)

export const isReserved = (path: string): boolean => known.has(path)
