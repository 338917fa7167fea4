import type { Static } from 'typebox'
import { agentFacts } from './entries/agents.ts'
import { approvalFacts } from './entries/approvals.ts'
import { askFacts } from './entries/asks.ts'
import { assignmentFacts } from './entries/assignments.ts'
import { attachmentFacts } from './entries/attachments.ts'
import { automationFacts } from './entries/automations.ts'
import { backupFacts } from './entries/backup.ts'
import { channelFacts } from './entries/channels.ts'
import { chatFacts } from './entries/chats.ts'
import { checkpointFacts } from './entries/checkpoints.ts'
import { collisionFacts } from './entries/collisions.ts'
import { consolidateFacts } from './entries/consolidate.ts'
import { containerFacts } from './entries/containers.ts'
import { credentialFacts } from './entries/credentials.ts'
import { crewConnectionFacts } from './entries/crew-connections.ts'
import { crewFacts } from './entries/crews.ts'
import { dataSubjectFacts } from './entries/data-subjects.ts'
import type { FactDefinition, Severity } from './entries/define.ts'
import { deliveryFacts } from './entries/deliveries.ts'
import { escalationFacts } from './entries/escalations.ts'
import { fileFacts } from './entries/files.ts'
import { idpFacts } from './entries/idp.ts'
import { inboxFacts } from './entries/inbox.ts'
import { integrationFacts } from './entries/integrations.ts'
import { invitationFacts } from './entries/invitations.ts'
import { issueFacts } from './entries/issues.ts'
import { journalFacts } from './entries/journal.ts'
import { keeperFacts } from './entries/keeper.ts'
import { limitFacts } from './entries/limits.ts'
import { managedFacts } from './entries/managed.ts'
import { memberFacts } from './entries/members.ts'
import { memoryFacts } from './entries/memory.ts'
import { missionFacts } from './entries/missions.ts'
import { noteFacts } from './entries/notes.ts'
import { peerFacts } from './entries/peers.ts'
import { personaFacts } from './entries/personas.ts'
import { policyFacts } from './entries/policies.ts'
import { portFacts } from './entries/ports.ts'
import { registryFacts } from './entries/registry.ts'
import { reserved } from './entries/reserved.ts'
import { roomFacts } from './entries/rooms.ts'
import { routineFacts } from './entries/routines.ts'
import { runFacts } from './entries/runs.ts'
import { scheduleFacts } from './entries/schedules.ts'
import { sessionFacts } from './entries/sessions.ts'
import { shellFacts } from './entries/shells.ts'
import { skillFacts } from './entries/skills.ts'
import { crewTemplateFacts, templateFacts } from './entries/templates.ts'
import { tokenFacts } from './entries/tokens.ts'
import { totpFacts } from './entries/totp.ts'
import { triggerFacts } from './entries/triggers.ts'
import { tripwireFacts } from './entries/tripwires.ts'
import { userFacts } from './entries/users.ts'
import { webhookFacts } from './entries/webhooks.ts'
import { workFacts } from './entries/work.ts'
import { workspaceFacts } from './entries/workspaces.ts'

export { type Names, type Severity, severities } from './entries/define.ts'
export { named } from './entries/quote.ts'
export { reserved } from './entries/reserved.ts'

/** Every fact that Muster records, by name. Most are named as the entry type that they are stored under. */
export const facts = {
  ...agentFacts,
  ...dataSubjectFacts,
  ...containerFacts,
  ...attachmentFacts,
  ...channelFacts,
  ...chatFacts,
  ...checkpointFacts,
  ...collisionFacts,
  ...tripwireFacts,
  ...consolidateFacts,
  ...credentialFacts,
  ...crewFacts,
  ...crewConnectionFacts,
  ...fileFacts,
  ...issueFacts,
  ...journalFacts,
  ...memoryFacts,
  ...missionFacts,
  ...noteFacts,
  ...peerFacts,
  ...personaFacts,
  ...policyFacts,
  ...idpFacts,
  ...integrationFacts,
  ...managedFacts,
  ...registryFacts,
  ...invitationFacts,
  ...keeperFacts,
  ...limitFacts,
  ...memberFacts,
  ...portFacts,
  ...sessionFacts,
  ...shellFacts,
  ...skillFacts,
  ...workFacts,
  ...templateFacts,
  ...crewTemplateFacts,
  ...tokenFacts,
  ...totpFacts,
  ...userFacts,
  ...approvalFacts,
  ...automationFacts,
  ...backupFacts,
  ...askFacts,
  ...assignmentFacts,
  ...deliveryFacts,
  ...escalationFacts,
  ...inboxFacts,
  ...roomFacts,
  ...routineFacts,
  ...runFacts,
  ...scheduleFacts,
  ...webhookFacts,
  ...triggerFacts,
  ...workspaceFacts,
} as const

type Facts = typeof facts
export type FactName = keyof Facts
/** The entry types that Muster records. docs/rules/journal.md, "Entries". */
export type EntryType = Facts[FactName]['type']

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

type Said<N extends FactName> = N extends FactName ? Payload<N> & NonNullable<Facts[N]['fixed']> : never
type NamedAs<T extends EntryType> = { [N in FactName]: Facts[N]['type'] extends T ? N : never }[FactName]
type Of<T extends string, P> = Omit<Entry, 'entry_type' | 'payload'> & { entry_type: T; payload?: P }

/**
 * An entry as Muster writes it: by its type the compiler knows its payload, which is left out where it is empty. Where
 * several facts share a type, the payload is that of any of them.
 */
export type StoredEntry = { [T in EntryType]: Of<T, Said<NamedAs<T>>> }[EntryType]

const types = new Set<string>(Object.values(facts).map(({ type }) => type))

/** Whether this version of Muster writes entries of that type. */
export const isStored = (entry: Entry): entry is StoredEntry => types.has(entry.entry_type)

export const definitionOf = (name: FactName): FactDefinition => facts[name] as unknown as FactDefinition

/** Every entry type that is recorded or reserved, in alphabetical order: what the journal can be filtered by. */
export const entryTypes: readonly string[] = [...new Set([...types, ...Object.keys(reserved)])].sort()

export const priorities = ['normal', 'high', 'pin', 'permanent'] as const
export type Priority = (typeof priorities)[number]

export const actorTypes = ['agent', 'user', 'system', 'keeper', 'sidecar', 'orchestrator'] as const
export type ActorType = (typeof actorTypes)[number]

/** A journal entry as clients see it. Empty optional members are left out. docs/rules/journal.md, "Entries". */
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
