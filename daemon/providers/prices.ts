/** Dollars for a million tokens. */
export interface Price {
  input: number
  output: number
  cacheRead: number
  /** Absent where nothing is paid for writing to the cache beyond the input itself. */
  cacheWrite?: number
  /** The price of prompts up to this many tokens; longer ones cost more, so that a run beyond it has no known price. */
  upTo?: number
}

/** List prices of a provider as its own page stated them on a day; the price of a model that it lacks is unknown. */
export interface Prices {
  readonly asOf: string
  readonly models: Readonly<Record<string, Price>>
}

/** Input without what came from the cache or went into it; reasoning is part of the output. */
export interface Counted {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/** What these tokens cost in dollars by the list; null when it does not say. */
export function costOf(
  prices: Prices,
  model: string,
  { input, output, cacheRead, cacheWrite }: Counted,
): number | null {
  const name = model.replace(dated, '')
  const price = Object.hasOwn(prices.models, name) ? prices.models[name] : undefined
  if (!price || input + cacheRead + cacheWrite > (price.upTo ?? Number.POSITIVE_INFINITY)) return null
  const written = cacheWrite * (price.cacheWrite ?? price.input)
  const dollars = (input * price.input + output * price.output + cacheRead * price.cacheRead + written) / 1_000_000
  return Number(dollars.toFixed(9))
}

/** What a snapshot's name ends with: -20250929, -2025-04-14. */
const dated = /-20\d\d-?\d\d-?\d\d$/
