import { type MemoryTier, memoryCaps } from '#contract/memory'

/** What may be called so, and how much it holds. */
export interface Named {
  /** Bytes at most. */
  cap: number
  /** Only the persona's own commands write it. */
  readOnly?: true
}

const main = { agent: 'AGENT.md', crew: 'CREW.md', workspace: 'WORKSPACE.md' } as const satisfies Record<
  MemoryTier,
  string
>

/** The file that is always given first. */
export const mainFile = (tier: MemoryTier): string => main[tier]

export const pinsFile = 'pins.md'

const daily = /^daily\/(\d{4}-\d{2}-\d{2})\.md$/
const topic = /^topics\/[a-z0-9][a-z0-9._-]{0,99}\.md$/
const learned = /^topics\/learned-(\d{4}-\d{2}-\d{2})\.md$/

/** A day that there is. */
const isDay = (day: string): boolean => {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}

/** The day that a daily file is of. */
export const dayOf = (name: string): string | null => daily.exec(name)?.[1] ?? null

/** The day of a file of rules that people approved. */
export const learnedDayOf = (name: string): string | null => learned.exec(name)?.[1] ?? null

export const dailyFile = (now: string): string => `daily/${now.slice(0, 10)}.md`

/** What a file of that name is, in a tier; undefined where there is none called so. */
export function named(tier: MemoryTier, name: string): Named | undefined {
  if (name === main[tier]) return { cap: memoryCaps.main }
  const day = dayOf(name)
  if (day !== null) return isDay(day) ? { cap: memoryCaps.daily } : undefined
  if (topic.test(name)) return { cap: memoryCaps.daily }
  if (tier !== 'workspace' && name === pinsFile) return { cap: memoryCaps.pins }
  if (tier !== 'workspace' && name === 'PERSONA.md') return { cap: memoryCaps.persona, readOnly: true }
  if (tier === 'agent' && (name === 'lessons.md' || name === 'learned.md')) return { cap: memoryCaps.lessons }
  return undefined
}

/** By what the versions of a file are administered. */
export function kindOf(tier: MemoryTier, name: string): MemoryTier | 'pins' | 'learned' {
  if (name === pinsFile) return 'pins'
  return name === 'learned.md' || learnedDayOf(name) ? 'learned' : tier
}

export const capOf = (tier: MemoryTier, name: string): number => named(tier, name)?.cap ?? memoryCaps.lessons
