/** What two series of measurements say of each other. */
export interface Verdict {
  /** How likely chance alone sets them this far apart: Mann-Whitney U, two-sided, normal approximation with ties. */
  p: number
  /** Between the medians. */
  difference: number
  /** True when an observer can tell them apart: beyond chance, and by more than is lost in a network. */
  leak: boolean
}

/** Compares two series; `ms` is the difference that nobody could use. */
export function tellApart(a: readonly number[], b: readonly number[], ms: number): Verdict {
  const difference = Math.abs(median(a) - median(b))
  const p = mannWhitney(a, b)
  return { p, difference, leak: p < 0.001 && difference > ms }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b].sort((x, y) => x - y)
  const places = new Map<number, number[]>()
  for (const [index, value] of all.entries()) places.set(value, [...(places.get(value) ?? []), index + 1])
  const rank = (value: number) => places.get(value)!.reduce((sum, place) => sum + place, 0) / places.get(value)!.length
  const n = all.length
  const u = a.reduce((sum, value) => sum + rank(value), 0) - (a.length * (a.length + 1)) / 2
  const ties = [...places.values()].reduce((sum, { length }) => sum + length ** 3 - length, 0)
  const spread = Math.sqrt(((a.length * b.length) / 12) * (n + 1 - ties / (n * (n - 1))))
  if (spread === 0) return 1
  const z = Math.max(0, Math.abs(u - (a.length * b.length) / 2) - 0.5) / spread
  return 2 * tail(z)
}

/** The share of a normal distribution beyond z; Abramowitz and Stegun 26.2.17, good to 1e-7. */
function tail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
}
