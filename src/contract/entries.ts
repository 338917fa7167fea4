import type { Static } from 'typebox'
import { agentFacts } from './entries/agents.ts'
import { approvalFacts } from './entries/approvals.ts'
import { askFacts } from './entries/asks.ts'
import { credentialFacts } from './entries/credentials.ts'
import { crewFacts } from './entries/crews.ts'
import type { FactDefinition, Severity } from './entries/define.ts'
import { escalationFacts } from './entries/escalations.ts'
import { inboxFacts } from './entries/inbox.ts'
import { portFacts } from './entries/ports.ts'
import { runFacts } from './entries/runs.ts'
import { workspaceFacts } from './entries/workspaces.ts'

export { type Names, type Severity, severities } from './entries/define.ts'

/** Every fact that Muster records, by name. Most are named as the entry type that they are stored under. */
export const facts = {
  ...agentFacts,
  ...approvalFacts,
  ...askFacts,
  ...credentialFacts,
  ...crewFacts,
  ...escalationFacts,
  ...inboxFacts,
  ...portFacts,
  ...runFacts,
  ...workspaceFacts,
} as const

/**
 * Severity of each journal entry type that Muster writes, unless the writer says otherwise. Contract part 3, section
 * 1.1.
 */
export const undeclared = {
  'audit.entity_created': 'notice',
  'audit.entity_updated': 'notice',
  'audit.entity_deleted': 'notice',
  'audit.entity_restored': 'notice',
  'run.started': 'info',
  'run.parked': 'notice',
  'run.resumed': 'info',
  'run.session_init': 'info',
  'run.confidence': 'info',
  'chat.user_message': 'info',
  'chat.agent_response': 'info',
  'conversation.compacted': 'info',
  'exec.command': 'info',
  'network.egress': 'info',
  'agent.status_change': 'info',
  'agent.error': 'error',
  'agent.throttled': 'warn',
  'memory.priority_changed': 'notice',
  'provisioning.queued': 'notice',
  'provisioning.building': 'info',
  'provisioning.complete': 'notice',
  'provisioning.failed': 'warn',
  'provisioning.step': 'info',
  'container.reaped': 'warn',
  'container.metrics': 'info',
  'credential.rotated': 'notice',
  'credential.rotation_cancelled': 'notice',
  'credential.tested': 'info',
  'policy.changed': 'notice',
  'system.migration': 'info',
} as const satisfies Record<string, Severity>

type Facts = typeof facts
export type FactName = keyof Facts
/** The entry types of declared facts. */
type DeclaredType = Facts[FactName]['type']

/** What a stored entry of a fact carries. */
export type Payload<N extends FactName> = Static<Facts[N]['payload']>

/** Who acted. */
export interface Acting {
  actor_type: ActorType
  actor_id?: string | undefined
}

/** Whom and what a fact concerns. */
export interface About extends Acting {
  workspace_id: string
  crew_id?: string | undefined
  agent_id?: string | undefined
  mission_id?: string | undefined
  trace_id?: string | undefined
  /** Another severity than the usual one. */
  severity?: Severity
  priority?: Priority
  /** For audit facts `entity_type` and `entity_id` unless stated. */
  refs?: Record<string, unknown>
}

/** A fact before it is recorded. Without a workspace it is told to the journals that the writer names. */
export interface Fact<N extends FactName = FactName, A extends Omit<About, 'workspace_id'> = About> {
  readonly name: N
  readonly payload: Payload<N>
  readonly about: A
}

/** A fact to be recorded: `app.journal(fact('crew.deleted', { entity_id, name }, about))`. */
export const fact = <N extends FactName, A extends Omit<About, 'workspace_id'>>(
  name: N,
  payload: Payload<N>,
  about: A,
): Fact<N, A> => ({ name, payload, about })

export const definitionOf = (name: FactName): FactDefinition => facts[name] as unknown as FactDefinition

export type EntryType = DeclaredType | keyof typeof undeclared

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
