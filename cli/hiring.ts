import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '#client'
import { durationMs } from './flags.ts'
import { InputError } from './input.ts'

const minute = 60_000
const pollMs = 1000

/** Whole minutes of `--ttl`. A number without a unit could be meant as seconds or minutes. */
export function minutesOf(ttl: string | undefined): number | undefined {
  if (ttl === undefined) return undefined
  const ms = durationMs(ttl, '--ttl')
  if (ms === undefined || /^[\d.\s]+$/.test(ttl) || ms < minute)
    throw new InputError(`--ttl must be a time of at least a minute, such as 30m or 2h, not "${ttl}".`)
  return Math.ceil(ms / minute)
}

/** What people decided about a hire; null when the time to wait is over. */
export async function decided(
  api: Client,
  agentId: string,
  timeoutMs: number | undefined,
): Promise<'approved' | 'over' | null> {
  const end = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs
  for (;;) {
    const { status, expired_at } = await api.agents.show({ agentId })
    if (expired_at !== null) return 'over'
    if (status !== 'PENDING_REVIEW') return 'approved'
    if (Date.now() >= end) return null
    await pause(Math.max(0, Math.min(pollMs, end - Date.now())))
  }
}
