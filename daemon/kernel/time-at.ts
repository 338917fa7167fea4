/** A time of the clock, in milliseconds since 1970, as it is stored. */
export const timeAt = (ms: number): string => new Date(ms).toISOString()
