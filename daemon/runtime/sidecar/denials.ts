import type { SidecarReport } from '../types.ts'

export interface Denial {
  agentId: string | null
  host: string
  port: number
  reason: string
}

const repeatMs = 60_000
const perMinute = 30
const remembered = 1000

/**
 * Reports denials at a limited rate: once a minute for the same agent, host and port, and at most `perMinute` in total.
 * The next report counts the suppressed ones.
 */
export function createDenials(report: (report: SidecarReport) => void, now: () => number): (denial: Denial) => void {
  const last = new Map<string, number>()
  let tokens = perMinute
  let refilledAt = now()
  let unreported = 0

  return ({ agentId, host, port, reason }) => {
    const at = now()
    tokens = Math.min(perMinute, tokens + ((at - refilledAt) / 60_000) * perMinute)
    refilledAt = at
    const key = `${agentId} ${host} ${port}`
    if (at - (last.get(key) ?? Number.NEGATIVE_INFINITY) < repeatMs || tokens < 1) {
      unreported++
      return
    }
    last.delete(key)
    last.set(key, at)
    if (last.size > remembered) last.delete(last.keys().next().value!)
    tokens--
    report({ type: 'egress_denied', agentId, host: printable(host), port, reason: printable(reason), unreported })
    unreported = 0
  }
}

/** Reduces text from an agent to a few printable ASCII characters, for the journal. */
const printable = (text: string) => text.replace(/[^ -~]/g, '?').slice(0, 300)
