import type { Config } from '#kernel/config'
import { addressOf, providerOf } from '../../providers/index.ts'
import { costOf } from '../../providers/prices.ts'
import type { Verdict } from '../adapters/adapter.ts'
import type { LaunchFacts } from './parts.ts'

/**
 * Adds what a program cost: what its client says, else what the provider's price list says of the tokens. Without
 * either the cost is unknown and nothing is said. docs/costs.md.
 */
export function priced(config: Config, facts: LaunchFacts, verdict: Verdict, finished: boolean): Verdict {
  const { total_cost_usd: told, ...metadata } = verdict.metadata
  const used = tokensOf(metadata)
  // Clients say 0 of models whose price they do not know.
  if (typeof told === 'number' && (told > 0 || !used))
    return { ...verdict, metadata: { ...verdict.metadata, cost_source: 'client' } }
  const listed = finished && used ? listPrice(config, facts, metadata, used) : null
  return { ...verdict, metadata: { ...metadata, ...listed } }
}

function listPrice(config: Config, { provider: name, command }: LaunchFacts, { model }: Spent, used: Counted) {
  const provider = providerOf(name ?? '')
  const known = typeof model === 'string' && model ? model : command.model
  // What an upstream of the operator's own takes is between the two of them.
  if (!provider?.prices || !known || addressOf(config, provider) !== provider.address?.fallback) return null
  const cost = costOf(provider.prices, known, used)
  return cost === null ? null : { total_cost_usd: cost, cost_source: 'prices', prices_as_of: provider.prices.asOf }
}

type Spent = Record<string, unknown>
type Counted = Parameters<typeof costOf>[2]

/** Null when the client told of no tokens. */
function tokensOf({ usage }: Spent): Counted | null {
  const of = (usage ?? {}) as Spent
  const count = (name: string) => (typeof of[name] === 'number' ? of[name] : 0)
  const used = {
    input: count('input_tokens'),
    output: count('output_tokens'),
    cacheRead: count('cache_read_input_tokens'),
    cacheWrite: count('cache_creation_input_tokens'),
  }
  return Object.values(used).some((tokens) => tokens > 0) ? used : null
}
