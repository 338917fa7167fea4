import type { SecurityLevel } from '#contract/credentials'

/** What a level of credentials asks of agents and people. docs/keeper.md, "Levels". */
export interface Tier {
  label: string
  /** Agents get it when a run starts; otherwise they have to ask for it. */
  delivered: boolean
  /** Characters of an intent, at least. */
  leastIntent: number
  /** People decide, whatever the judge says. */
  human: boolean
  /** Two people: who made the agent does not decide alone. */
  secondApprover: boolean
  leastRisk: number
  /** What its loss would do, as a judge is told. */
  blast: string
  /** What a judge has to look at. */
  checks: string
}

const low: Tier = {
  label: 'L1 · low',
  delivered: true,
  leastIntent: 10,
  human: false,
  secondApprover: false,
  leastRisk: 1,
  blast: 'It reads what many may read, and is soon replaced.',
  checks: 'The intent names something that the agent may plausibly do.',
}

export const tiers: Readonly<Record<SecurityLevel, Tier>> = {
  1: low,
  2: {
    ...low,
    label: 'L2 · medium',
    leastIntent: 15,
    blast: 'It changes work of one team, which can be undone.',
    checks: 'The intent fits the work that the agent was given.',
  },
  3: {
    ...low,
    label: 'L3 · high',
    delivered: false,
    leastIntent: 25,
    leastRisk: 4,
    blast: 'It changes what customers or other teams use, or shows what is theirs.',
    checks: 'The intent names a bounded action, its target and why this credential is needed for it.',
  },
  4: {
    ...low,
    label: 'L4 · critical',
    delivered: false,
    leastIntent: 35,
    human: true,
    secondApprover: true,
    leastRisk: 6,
    blast: 'It moves money, deletes what cannot be brought back, or opens everything else.',
    checks: 'The intent names one action, its target, why now, and how it is undone. No narrower credential would do.',
  },
}

/** What a level asks; one that is not known is the strictest. */
export const tierOf = (level: number): Tier => tiers[level as SecurityLevel] ?? tiers[4]

/** The lowest level at which two people decide. */
export const tierFloor = 4
