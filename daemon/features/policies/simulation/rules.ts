import { type Entry, isStored, type StoredEntry } from '#contract/entries'
import type { AutonomyLevel, BehaviorMode } from '#contract/policies'
import { type Verdict, verdictOf } from '../rules.ts'

/** What an entry tells about asking and deciding. `action` is null where only the request says it. */
export type Judgement =
  /** People decided. */
  | { kind: 'decided'; action: string | null; approval: string | null; outcome: 'granted' | 'denied' }
  /** People were asked. */
  | { kind: 'asked'; action: string | null; approval: string | null }
  /** Nobody decided in time, or the question was withdrawn. */
  | { kind: 'unanswered'; action: string | null; approval: string | null }
  /** An agent did it without asking. */
  | { kind: 'applied'; action: string }

/** Entry types that may speak of an action of the policy. Others are not read. */
export const judgedTypes = [
  'approval.requested',
  'approval.granted',
  'approval.denied',
  'approval.timeout',
  'approval.cancelled',
  'peer.escalation',
  'audit.entity_created',
  'audit.entity_updated',
  'agent.status_change',
  'assignment.created',
  'crew.action',
  'guardrail.input_blocked',
  'guardrail.output_blocked',
  'memory.updated',
  'memory.skill_proposed',
  'mission.created',
  'mission.comment',
  'mission.status_change',
  'skill.assigned',
  'skill.imported',
  'task.delegated',
] as const

/** Approvals of these kinds are asked for by an action that has a name of its own. */
const actionOfKind: Readonly<Record<string, string>> = { ephemeral_hire: 'ephemeral_spawn' }

/** A question that an agent asks of itself: no policy makes it ask, or keeps it from asking. */
export const ownQuestion = 'own_question'
/** The monitor refuses what an agent does: what comes of it is the behavior mode's affair. */
export const monitorDenial = 'monitor_deny'

const toolApproval: Readonly<Record<AutonomyLevel, Verdict>> = {
  strict: 'ask',
  guided: 'ask',
  trusted: 'inbox',
  full: 'journal',
}

/** What a policy makes of an action. Actions that it says nothing about are asked about at every level. */
export function verdictUnder(action: string, level: AutonomyLevel, mode: BehaviorMode): Verdict {
  if (action === 'tool_call') return toolApproval[level]
  if (action !== monitorDenial) return verdictOf(action, level)
  if (mode === 'warn') return level === 'full' ? 'journal' : 'inbox'
  return level === 'trusted' ? 'refuse' : 'ask'
}

/** True when the agent goes on without waiting for anybody. */
export const goesThrough = (verdict: Verdict): boolean => verdict !== 'ask' && verdict !== 'refuse'

const text = (value: unknown): string | null => (typeof value === 'string' && value ? value : null)

type Decided = Extract<StoredEntry, { entry_type: `approval.${string}` }>
type Escalated = Extract<StoredEntry, { entry_type: 'peer.escalation' }>

/**
 * docs/rules/journal.md, "Entries" names the types; `payload.policy_action` names the action. Null for what says
 * nothing.
 */
export function judge(entry: Entry): Judgement | null {
  if (!isStored(entry)) return judgeDeed(entry)
  switch (entry.entry_type) {
    case 'peer.escalation':
      return judgeEscalation(entry)
    case 'approval.requested':
      return { kind: 'asked', ...questionOf(entry) }
    case 'approval.granted':
      return { kind: 'decided', ...questionOf(entry), outcome: 'granted' }
    case 'approval.denied':
      return { kind: 'decided', ...questionOf(entry), outcome: 'denied' }
    case 'approval.timeout':
    case 'approval.cancelled':
      return { kind: 'unanswered', ...questionOf(entry) }
    default:
      return judgeDeed(entry)
  }
}

function questionOf({ payload, refs }: Decided): { action: string | null; approval: string | null } {
  const approval = text(payload?.approval_id) ?? text(refs?.['approval_id'])
  const named = text(payload?.policy_action)
  const kind = text(payload?.kind)
  return {
    approval,
    action: named ?? (kind === null || kind === 'autonomy_gate' ? null : (actionOfKind[kind] ?? kind)),
  }
}

type MemberOf<P> = P extends unknown ? keyof P : never
type Member = MemberOf<NonNullable<StoredEntry['payload']>>

/** A member that entries of several types may carry. */
const said = ({ payload }: Entry, member: Member): string | null => text(payload?.[member])

/** What an agent did without asking. */
function judgeDeed(entry: Entry): Judgement | null {
  const { actor_type, refs } = entry
  const held = said(entry, 'approval_id') ?? text(refs?.['approval_id'])
  const verdict = said(entry, 'policy_verdict')
  const action = said(entry, 'policy_action')
  if (action === null || held !== null || verdict === 'ask' || verdict === 'refuse') return null
  return actor_type === 'agent' || actor_type === 'sidecar' ? { kind: 'applied', action } : null
}

/** An escalation is a thing that agents do, and its answer is a decision of people. */
function judgeEscalation(entry: Escalated): Judgement | null {
  const { payload } = entry
  const named = said(entry, 'policy_action')
  const asked = named === null || named === 'escalation_create' ? ownQuestion : named
  if (payload?.state === 'pending') return { kind: 'applied', action: named ?? 'escalation_create' }
  if (payload?.state !== 'resolved' || payload.auto_resolved === true) return null
  return {
    kind: 'decided',
    action: asked,
    approval: null,
    outcome: payload.action === 'reject' ? 'denied' : 'granted',
  }
}
