/** Metadata that is added up over the programs of a run. */
const counted = [
  'input_tokens',
  'output_tokens',
  'total_cost_usd',
  'duration_ms',
  'num_turns',
  'left_out_lines',
  'left_out_bytes',
] as const

export type Spent = Record<string, unknown>

/** Metadata of a program's end, plus what earlier programs of the run had spent. */
export function addSpent(before: Spent, metadata: Spent): Spent {
  const sums = Object.fromEntries(
    counted.flatMap((name) => (name in before || name in metadata ? [[name, sum(before[name], metadata[name])]] : [])),
  )
  const usage = [before['usage'], metadata['usage']].map((it) => (it ?? {}) as Spent)
  const names = [...new Set(usage.flatMap(Object.keys))]
  return {
    ...metadata,
    ...sums,
    ...costOfBoth(before, metadata),
    ...(names.length && {
      usage: Object.fromEntries(names.map((name) => [name, sum(usage[0]![name], usage[1]![name])])),
    }),
  }
}

/** A cost of which a part is unknown is unknown, too. */
function costOfBoth(before: Spent, metadata: Spent): Spent {
  if ([before, metadata].some(costsUnknown))
    return { total_cost_usd: undefined, cost_source: undefined, prices_as_of: undefined }
  const sources = [before['cost_source'], metadata['cost_source']]
  return sources.includes('prices')
    ? { cost_source: 'prices', prices_as_of: metadata['prices_as_of'] ?? before['prices_as_of'] }
    : sources.includes('client')
      ? { cost_source: 'client' }
      : {}
}

const costsUnknown = (spent: Spent): boolean =>
  sum(spent['input_tokens'], spent['output_tokens']) > 0 && spent['total_cost_usd'] === undefined

/** The part of the metadata that is kept for the next program. */
export function spentOf(metadata: Spent): Spent {
  const kept = [...counted, 'usage', 'cost_source', 'prices_as_of']
  return Object.fromEntries(kept.flatMap((name) => (name in metadata ? [[name, metadata[name]]] : [])))
}

const sum = (one: unknown, other: unknown): number =>
  (typeof one === 'number' ? one : 0) + (typeof other === 'number' ? other : 0)

/** The fact that records each outcome of a run. */
export const entryOf = {
  COMPLETED: 'run.completed',
  FAILED: 'run.failed',
  CANCELLED: 'run.cancelled',
  TIMEOUT: 'run.timeout',
} as const
