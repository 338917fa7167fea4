/** A level of credentials: what is asked before an agent gets one. docs/keeper.md, "Levels". */
export interface Tier {
  label: string
  /** Characters of an intent. */
  minIntent: number
  /** Delivered when a run starts, without being asked for. */
  atStart: boolean
  human: boolean
  secondApprover: boolean
  minRisk: number
}

export const tiers: Readonly<Record<1 | 2 | 3 | 4, Tier>> = {
  1: { label: 'L1 · low', minIntent: 10, atStart: true, human: false, secondApprover: false, minRisk: 1 },
  2: { label: 'L2 · medium', minIntent: 15, atStart: true, human: false, secondApprover: false, minRisk: 1 },
  3: { label: 'L3 · high', minIntent: 25, atStart: false, human: false, secondApprover: false, minRisk: 4 },
  4: { label: 'L4 · critical', minIntent: 35, atStart: false, human: true, secondApprover: true, minRisk: 6 },
}

/** The tier of a level; one that is not known is the strictest. */
export const tierOf = (level: number): Tier => tiers[level as 1 | 2 | 3 | 4] ?? tiers[4]

export const levelLabel = (level: number): string => tierOf(level).label

/** The lowest level at which two people decide. */
export const tierFloor = 4
