/** A slug as agents write it: `ada`, `@ada`. */
export const slugOf = (given: string): string => given.trim().replace(/^@/, '')
