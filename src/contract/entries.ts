/**
 * Severity of each journal entry type that Muster writes, unless the writer says otherwise. Contract part 3, section
 * 1.1.
 */
export const entries = {
  'audit.entity_created': 'notice',
  'audit.entity_updated': 'notice',
  'audit.entity_deleted': 'notice',
  'audit.entity_restored': 'notice',
  'run.started': 'info',
  'run.completed': 'info',
  'run.failed': 'error',
  'run.cancelled': 'info',
  'run.timeout': 'error',
  'run.parked': 'notice',
  'run.resumed': 'info',
  'run.session_init': 'info',
  'run.confidence': 'info',
  'chat.user_message': 'info',
  'chat.agent_response': 'info',
  'conversation.compacted': 'info',
  'exec.command': 'info',
  'network.egress': 'info',
  'network.port_opened': 'info',
  'network.port_closed': 'info',
  'agent.status_change': 'info',
  'agent.error': 'error',
  'agent.throttled': 'warn',
  'memory.priority_changed': 'notice',
  'provisioning.queued': 'notice',
  'provisioning.building': 'info',
  'provisioning.complete': 'notice',
  'provisioning.failed': 'warn',
  'provisioning.step': 'info',
  'container.started': 'info',
  'container.stopped': 'info',
  'container.failed': 'error',
  'container.reaped': 'warn',
  'container.metrics': 'info',
  'credential.rotated': 'notice',
  'credential.rotation_cancelled': 'notice',
  'credential.tested': 'info',
  'approval.requested': 'notice',
  'approval.granted': 'notice',
  'approval.denied': 'notice',
  'approval.timeout': 'warn',
  'approval.cancelled': 'notice',
  'keeper.decision': 'notice',
  'peer.escalation': 'notice',
  'policy.changed': 'notice',
  'system.migration': 'info',
} as const satisfies Record<string, Severity>

export const severities = ['info', 'notice', 'warn', 'error'] as const
export type Severity = (typeof severities)[number]
export type EntryType = keyof typeof entries

export const priorities = ['normal', 'high', 'pin', 'permanent'] as const
export type Priority = (typeof priorities)[number]

export const actorTypes = ['agent', 'user', 'system', 'keeper', 'sidecar', 'orchestrator'] as const
export type ActorType = (typeof actorTypes)[number]

/** A journal entry as clients see it. Empty optional members are left out. Specification part 3, "Journal entry". */
export interface Entry {
  id: string
  workspace_id: string
  crew_id?: string
  agent_id?: string
  mission_id?: string
  ts: string
  entry_type: string
  severity: Severity
  priority: Priority
  actor_type: ActorType
  actor_id?: string
  summary: string
  payload?: Record<string, unknown>
  refs?: Record<string, unknown>
  trace_id?: string
}
