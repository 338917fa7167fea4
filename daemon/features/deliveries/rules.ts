import { type NotificationPriority, notificationPriorities } from '#contract/channels'
import { firstBytes } from '#kernel/cut'

/** Messages of one category that one person gets through one channel within the window. */
export const mostInWindow = 20
export const windowMs = 600_000

/** What never waits for others to pass: somebody is waited for. */
const exempt = new Set(['agents.approval', 'agents.escalation'])
export const isExempt = (category: string): boolean => exempt.has(category)

/** Milliseconds until the next attempt, by how many there were. */
const waits = [5000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
const jitter = 0.2

/** When a message is tried again; null when it is not. A service that says how long to wait is waited for. */
export function nextAttempt(attempts: number, nowMs: number, retryAfterMs = 0, random = Math.random): number | null {
  const wait = waits[attempts - 1]
  if (wait === undefined) return null
  const spread = wait * (1 - jitter + 2 * jitter * random())
  return Math.round(nowMs + Math.max(spread, retryAfterMs))
}

/** The same of what tells of the end of a run: of interest at once, or not at all. */
export function nextBroadcast(attempts: number, nowMs: number, retryAfterMs = 0): number | null {
  const wait = [200, 400][attempts - 1]
  return wait === undefined ? null : nowMs + Math.max(wait, retryAfterMs)
}

/** Most bytes of the text of a message. */
const bodyLimit = 1024

/** A text without what is too long of it, which is marked. */
export const cut = (text: string): string =>
  Buffer.byteLength(text) <= bodyLimit ? text : `${firstBytes(text, bodyLimit)}…`

/** What stands for something that people decide, and how the link to it is called. */
const decided: ReadonlySet<string> = new Set(['approval', 'waitpoint', 'escalation', 'inbox_item'])

/**
 * The page on which what a message tells of is decided. Its address says what it is about and gives no power: who opens
 * it signs in. Without the server's public address there is none.
 */
export function linksOf(
  it: { category: string; workspace_id: string; source_kind: string; source_id: string },
  publicUrl: string,
): { label: string; url: string }[] {
  if (!publicUrl || !isExempt(it.category) || !decided.has(it.source_kind)) return []
  const asked = new URLSearchParams({ workspace: it.workspace_id, decision: it.source_id })
  return [{ label: 'Decide', url: `${new URL(publicUrl).origin}/decide?${asked}` }]
}

export interface Considered {
  category: string
  priority: NotificationPriority
  /** What the channel takes; none: everything. */
  categories: readonly string[]
  floor: NotificationPriority
  muted: boolean
}

/** Why a channel is not to take a message that somebody wants through it; null when it is. */
export function refusalOf({ category, priority, categories, floor, muted }: Considered): string | null {
  if (categories.length && !categories.includes(category)) return `the channel does not take ${category}`
  if (muted) return 'that person muted the channel'
  return notificationPriorities.indexOf(priority) < notificationPriorities.indexOf(floor)
    ? `its priority ${priority} is below ${floor}, the least that the channel takes`
    : null
}
