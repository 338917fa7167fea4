import { keeperAgentWaits } from '#contract/keeper-requests'
import type { App } from '#kernel/app'
import { wokenBy } from '#kernel/waiting'
import { withFile } from './access.ts'
import { carryOut } from './executing.ts'
import { queries } from './queries.ts'

/**
 * What became of a request that people decide: as soon as they did, or as it is when the agent's time is over. What
 * they allow is carried out then. Null where there is nothing to wait for.
 */
export async function waitForPeople(app: App, id: string, signal: AbortSignal): Promise<object | null> {
  const { byId } = queries(app.db)
  if (byId.get(id)?.decision !== 'ESCALATE') return null
  await wokenBy(app, id, app.clock() + keeperAgentWaits * 1000, signal)
  const row = byId.get(id)
  // Who does not wait any more asks again, and finds the same request.
  if (row?.decision !== 'ALLOW' || signal.aborted)
    return row ? { request_id: id, decision: row.decision, reason: row.reason, risk_score: row.risk_score } : null
  return row.request_type === 'execute' ? carryOut(app, row) : withFile(app, row)
}
