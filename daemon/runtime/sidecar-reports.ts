import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { recordSoon } from '#kernel/store/until-written'
import { journalFailover, markLimited } from '../features/credentials/delivery/service.ts'
import { desiredCrew } from '../features/crews/containers/service.ts'
import { keepUse } from './credential-uses.ts'
import { isScriptUser } from './scripts/users.ts'
import { serverUserNamed } from './server-users.ts'
import type { Runtime, SidecarReport } from './types.ts'

/**
 * Puts on record what sidecars report: connections refused by the network policy, credentials that the vendor
 * refuses for a while, and what credentials are used for.
 */
export function keepReports(app: App, runtime: Runtime): void {
  runtime.onSidecarReport((crewId, report) => {
    if (report.type === 'decoy_sent') return app.tripwires.sent(crewId, report)
    recordSoon(app, `a report of the sidecar of ${crewId}`, () => keep(app, crewId, report))
  })
}

const isAgent = (id: string): boolean => !isScriptUser(id) && serverUserNamed(id) === null

function keep(app: App, crewId: string, report: Exclude<SidecarReport, { type: 'decoy_sent' }>): void {
  if (report.type === 'credential_limited') {
    markLimited(app, report.credentialId, report.retryAfterSeconds)
    return
  }
  if (report.type === 'credential_failover') {
    journalFailover(app, crewId, report)
    return
  }
  if (report.type === 'credential_used') {
    keepUse(app, report)
    return
  }
  const workspace = desiredCrew(app, crewId)?.spec.workspaceId
  if (!workspace) return
  const { port, unreported } = report
  const agentId = report.agentId && isAgent(report.agentId) ? report.agentId : null
  // A host is a text of the agent's, too.
  const { host, reason } = app.scrub(
    { workspace_id: workspace, agent_id: agentId ?? '' },
    [],
  )({ host: report.host, reason: report.reason })
  const payload = { denied: true, host, port, reason, ...(unreported && { unreported }) } as const
  const about = { workspace_id: workspace, crew_id: crewId, ...(agentId && { agent_id: agentId }) }
  app.journal(fact('network.egress', payload, { ...about, actor_type: 'sidecar' }))
}
