const labels: Readonly<Record<number, string>> = { 1: 'L1 · low', 2: 'L2 · medium', 3: 'L3 · high', 4: 'L4 · critical' }

/** What a level of credentials is called; one that is not known is the strictest. */
export const levelLabel = (level: number): string => labels[level] ?? labels[4]!

/** The lowest level at which two people decide. */
export const tierFloor = 4
