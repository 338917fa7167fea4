import { type Destination, textOf } from '../../kernel/outbound/destinations.ts'
import type { SidecarReport } from '../types.ts'

type Used = Extract<SidecarReport, { type: 'credential_used' }>

/** How long uses of the same kind are added up before they are reported. */
export const usesEveryMs = 5000
const mostKinds = 500

/**
 * Reports what credentials are used for: the first use of a kind at once, more of it as a number every few seconds, so
 * that calls cost no report each.
 */
export function createUses(
  report: (report: SidecarReport) => void,
): (agentId: string, credentialId: string, to: Destination) => void {
  const added = new Map<string, Used>()
  let timer: NodeJS.Timeout | undefined

  function tell(): void {
    timer = undefined
    for (const [key, it] of added) {
      if (!it.uses) added.delete(key)
      else {
        report({ ...it })
        it.uses = 0
      }
    }
    if (added.size) later()
  }
  function later(): void {
    if (!timer) timer = setTimeout(tell, usesEveryMs).unref()
  }

  return (agentId, credentialId, to) => {
    const key = `${agentId} ${credentialId} ${textOf(to)}`
    const known = added.get(key)
    if (known) known.uses++
    else {
      const used: Used = { type: 'credential_used', agentId, credentialId, ...to, uses: 1 }
      report({ ...used })
      if (added.size < mostKinds) added.set(key, { ...used, uses: 0 })
    }
    later()
  }
}
