import { createHmac, randomBytes } from 'node:crypto'
import type { App } from '#kernel/app'

const masters = new WeakMap<App, Buffer>()
/** Of agents whose keys were asked for: each of their calls asks. */
const keys = new WeakMap<App, Map<string, string>>()
const mostKept = 10_000

function masterOf(app: App): Buffer {
  const known = masters.get(app)
  if (known) return known
  // Without an encryption key there is nothing to outlive the daemon for: no credential can be stored either.
  const master = app.vault ? app.vault.derive('agent-keys') : randomBytes(32)
  masters.set(app, master)
  return master
}

/**
 * The key that an agent is given in place of a real one: its sidecar knows the agent by it. It
 * stays the same over restarts, since agents at work still hold it.
 */
export function agentKey(app: App, agentId: string): string {
  const known = keys.get(app) ?? new Map<string, string>()
  keys.set(app, known)
  const key = known.get(agentId) ?? `sk-ant-muster-${createHmac('sha256', masterOf(app)).update(agentId).digest('hex')}`
  if (known.size < mostKept) known.set(agentId, key)
  return key
}
