import { problem } from '#kernel/problem'

const dayMs = 86_400_000
const units = { m: 60_000, h: 3_600_000, d: dayMs } as const
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i

/** The moment that `since` names, in milliseconds; a day ago when it names none. */
export function sinceOf(text: string | undefined, now: number): number {
  const given = text?.trim()
  if (!given) return now - dayMs
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(given) ?? []
  if (count && unit) return now - Number(count) * units[unit as keyof typeof units]
  const at = time.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(at))
    throw problem('invalid_field', {
      field: 'since',
      detail: 'since must be a time such as 2026-01-31T12:00:00Z, or how long ago, such as 24h',
    })
  return at
}
