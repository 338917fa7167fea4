const pattern = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/

/** Reads an RFC 3339 time as whole milliseconds and a fraction of one. Null for an invalid time or date. */
export function parseTime(text: string): { ms: number; fraction: number } | null {
  const [, date, clock, decimals = '', zone] = pattern.exec(text) ?? []
  if (!date || !clock || !zone) return null
  const asUtc = Date.parse(`${date}T${clock}Z`)
  // Date.parse reads February 30 as a day in March.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== `${date}T${clock}`) return null
  const offset = offsetOf(zone)
  if (offset === null) return null
  const thousandths = decimals.padEnd(3, '0')
  return { ms: asUtc - offset + Number(thousandths.slice(0, 3)), fraction: Number(`0.${thousandths.slice(3) || '0'}`) }
}

/** Offset of a zone from UTC in milliseconds. */
function offsetOf(zone: string): number | null {
  if (/^[Zz]$/.test(zone)) return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))]
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
