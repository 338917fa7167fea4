const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w)/gy
const usual = 86_400_000
/** Older than any journal. */
const longest = 100 * 365 * 86_400_000

/** Milliseconds of a span such as 90m or 1d12h; those of a day for what is none, zero or less. */
export function sinceMs(given: string | undefined): number {
  const text = given?.trim() ?? ''
  let sum = 0
  let read = 0
  for (const [whole, number, unit] of text.matchAll(part)) {
    sum += Number(number) * units[unit!]!
    read += whole.length
  }
  return read === text.length && sum >= 1 ? Math.min(sum, longest) : usual
}
