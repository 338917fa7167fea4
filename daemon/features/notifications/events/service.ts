import type { NotificationCategory, NotificationPriority } from '#contract/channels'
import type { Acting } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { oneLine } from '#kernel/mail/letter'
import { type Occasion, route } from '../../deliveries/routing/service.ts'
import { actorIn, tell } from '../feed/service.ts'
import { inAudience, isMember, mentionedIn } from './people.ts'
import { queries } from './queries.ts'

/** Something that people are told of. */
export interface Event {
  happened: Pick<Happened, 'recorded' | 'payload'>
  workspace: string
  by: Acting
  action: string
  entity: { type: string; id: string | null; title: string | null }
  /** Those whom it concerns. Who did it themselves, and who is no member, is not told. */
  to: readonly string[]
  /** What channels tell of it; without, it stands in the feed alone. */
  channels?: Routing
}

interface Routing {
  category: NotificationCategory
  priority?: NotificationPriority
  /** Without, the sentence of the journal. */
  title?: string
  body?: string | undefined
  /** Whom channels tell, where these are not those of the feed. */
  audience?: Occasion['audience']
}

/** Tells those whom an event concerns, in the transaction of the event itself. */
export function occur(app: App, { happened, workspace, by, action, entity, to, channels }: Event): void {
  const actor = actorIn(by)
  const isOwn = (user: string) => by.actor_type === 'user' && by.actor_id === user
  const title = entity.title === null ? null : oneLine(entity.title)
  const told = [...new Set(to)].filter((user) => !isOwn(user) && isMember(app, workspace, user))
  const event_id = happened.recorded[0]?.entry.id ?? null
  for (const user of told)
    tell(app, {
      ...actor,
      workspace_id: workspace,
      user_id: user,
      action,
      entity_type: entity.type,
      entity_id: entity.id,
      entity_title: title,
      event_id,
    })
  if (channels) toChannels(app, happened, { workspace, by, entity, to: told, ...channels })
}

function toChannels(
  app: App,
  { recorded, payload }: Event['happened'],
  {
    workspace,
    by,
    entity,
    to,
    category,
    priority,
    title,
    body,
    audience,
  }: Routing & Pick<Event, 'workspace' | 'by' | 'entity' | 'to'>,
): void {
  const entry = recorded[0]?.entry
  if (!entry) return
  route(app, {
    id: entry.id,
    workspace,
    category,
    priority: priority ?? usual[entry.severity] ?? 'low',
    source: { kind: entity.type, id: entity.id ?? entry.id },
    title: title ?? entry.summary,
    body,
    vars: varsOf(payload),
    audience: audience ?? to,
    by: by.actor_type === 'user' ? (by.actor_id ?? null) : null,
  })
}

/** How urgent an entry of the journal is to those who are told. */
const usual: Record<string, NotificationPriority> = { error: 'high', warn: 'medium' }

/** What a message may say of a fact: its plain members, as far as they are short. */
const varsOf = (payload: object): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(payload)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, typeof value === 'string' ? oneLine(value, 500) : value]),
  )

const issueOf = (
  about: { mission_id?: string | undefined },
  { identifier, title }: Record<'identifier' | 'title', string>,
) => ({
  type: 'issue',
  id: about.mission_id ?? null,
  title: `${identifier} ${title}`,
})

export function assigned(app: App, happened: Happened<'mission.assigned'>): void {
  const { payload, about } = happened
  const { assignee_type, assignee_id } = payload
  const to = assignee_type === 'user' && assignee_id ? [assignee_id] : []
  const channels = { category: 'issues.assigned' } as const
  const entity = issueOf(about, payload)
  occur(app, { happened, workspace: about.workspace_id!, by: about, action: 'assigned', entity, to, channels })
}

/** Whoever is mentioned is told that, and not of the comment as well. */
export function commented(app: App, happened: Happened<'mission.comment'>): void {
  const { payload, about } = happened
  const workspace = about.workspace_id!
  const mentioned = mentionedIn(app, workspace, payload.body)
  const concerned = about.mission_id ? queries(app.db).concerned.all({ id: about.mission_id }) : []
  const event = { happened, workspace, by: about, entity: issueOf(about, payload) }
  const channels = { category: 'issues.comment', body: payload.body, audience: [...concerned, ...mentioned] } as const
  occur(app, { ...event, action: 'mentioned', to: mentioned })
  occur(app, { ...event, action: 'commented', to: concerned.filter((user) => !mentioned.includes(user)), channels })
}

const workspaceEntity = ({ db }: App, id: string) => ({
  type: 'workspace',
  id,
  title: queries(db).workspace.get(id)?.name ?? null,
})

function ofMember(app: App, action: string, happened: Happened<'workspace_member.created'>): void {
  const { about, payload } = happened
  const workspace = about.workspace_id!
  const entity = workspaceEntity(app, workspace)
  occur(app, { happened, workspace, by: about, action, entity, to: [payload.metadata.user_id] })
}

export const added = (app: App, it: Happened<'workspace_member.created'>): void => ofMember(app, 'added', it)

export const roleChanged = (app: App, it: Happened<'workspace_member.updated'>): void =>
  ofMember(app, 'role_changed', it as unknown as Happened<'workspace_member.created'>)

/** Who invited somebody hears that they came. */
export function joined(app: App, happened: Happened<'invitation.accepted'>): void {
  const { payload, about } = happened
  const workspace = about.workspace_id!
  const inviter = queries(app.db).inviter.get(payload.entity_id)?.invited_by
  const entity = workspaceEntity(app, workspace)
  occur(app, { happened, workspace, by: about, action: 'joined', entity, to: inviter ? [inviter] : [] })
}

/** Those for whom its card in the inbox is. */
export function requested(app: App, happened: Happened<'approval.requested'>): void {
  const { payload, about } = happened
  const workspace = about.workspace_id!
  const { approval_id: id, kind, asked } = payload
  const to = inAudience(app, workspace, queries(app.db).audienceOfDecision.get(id))
  const entity = { type: kind === 'waitpoint' ? 'waitpoint' : 'approval', id, title: asked }
  const channels = { category: 'agents.approval', priority: 'high', body: payload.reason } as const
  occur(app, { happened, workspace, by: about, action: 'approval_requested', entity, to, channels })
}

/** The same question is recorded again when its agent goes on without an answer. */
export function escalated(app: App, happened: Happened<'peer.escalation'>): void {
  const { payload, about } = happened
  const id = about.refs?.['escalation_id']
  if (payload.state !== 'pending' || !payload.agent_still_waiting || typeof id !== 'string') return
  const workspace = about.workspace_id!
  const to = inAudience(app, workspace, queries(app.db).audienceOfDecision.get(id))
  const by = { actor_type: 'agent', actor_id: about.agent_id } as const
  const entity = { type: 'escalation', id, title: payload.reason }
  const channels = { category: 'agents.escalation', priority: 'high', body: payload.context } as const
  occur(app, { happened, workspace, by, action: 'escalated', entity, to, channels })
}

export function asked(app: App, happened: Happened<'run.parked'>): void {
  const { payload, about } = happened
  const workspace = about.workspace_id!
  const { inbox_item_id: id, question: title } = payload
  const to = inAudience(app, workspace, queries(app.db).audienceOfItem.get(workspace, id))
  const by = { actor_type: 'agent', actor_id: about.agent_id } as const
  const channels = { category: 'agents.escalation', priority: 'high' } as const
  occur(app, { happened, workspace, by, action: 'asked', entity: { type: 'inbox_item', id, title }, to, channels })
}

/** Who started a run hears that it failed; of the runs that a routine began, its own end tells. */
export function runFailed(app: App, happened: Happened<'run.failed' | 'run.timeout'>): void {
  const { payload, about } = happened
  const run = about.trace_id ? queries(app.db).run.get(about.trace_id) : undefined
  if (!run || run.source === 'routine') return
  const { error_message: reason } = payload
  const title = reason ? `${run.agent_name}: ${reason}` : run.agent_name
  const by = { actor_type: 'agent', actor_id: about.agent_id } as const
  const entity = { type: 'run', id: about.trace_id!, title }
  const user = run.triggered_by
  const channels = { category: 'agents.error', body: reason, audience: user ? [user] : 'all' } as const
  const to = user ? [user] : []
  occur(app, { happened, workspace: about.workspace_id!, by, action: 'failed', entity, to, channels })
}

const ofRoutine = ({ payload: { run_id: id, pipeline_slug } }: Happened<'routine_run.completed'>, reason?: string) => ({
  type: 'routine_run',
  id,
  title: reason ? `${pipeline_slug}: ${reason}` : pipeline_slug,
})

export function routineFailed(app: App, happened: Happened<'routine_run.failed'>): void {
  const { payload, about } = happened
  const { run_id, error_message: reason } = payload
  const user = queries(app.db).routineRun.get(run_id)?.user_id
  const by = { actor_type: 'orchestrator' } as const
  const entity = ofRoutine(happened as unknown as Happened<'routine_run.completed'>, reason)
  const channels = { category: 'routines.failed', body: reason, audience: user ? [user] : 'all' } as const
  const to = user ? [user] : []
  occur(app, { happened, workspace: about.workspace_id!, by, action: 'failed', entity, to, channels })
}

/** Not in the feed: whoever wants it through a channel says so. */
export function routineCompleted(app: App, happened: Happened<'routine_run.completed'>): void {
  const { about, payload } = happened
  const user = queries(app.db).routineRun.get(payload.run_id)?.user_id
  const channels = { category: 'routines.completed', audience: user ? [user] : 'all' } as const
  const event = { by: { actor_type: 'orchestrator' }, action: 'completed', to: [] } as const
  occur(app, { ...event, happened, workspace: about.workspace_id!, entity: ofRoutine(happened), channels })
}

export function stepSkipped(app: App, happened: Happened<'routine_step.skipped'>): void {
  const { about, payload } = happened
  const entity = { type: 'routine_run', id: payload.run_id, title: payload.pipeline_slug }
  const channels = { category: 'routines.skipped', audience: 'all' } as const
  const event = { by: { actor_type: 'orchestrator' }, action: 'skipped', to: [] } as const
  occur(app, { ...event, happened, workspace: about.workspace_id!, entity, channels })
}

export function scheduleMissed(app: App, happened: Happened<'schedule.missed' | 'schedule.tripped'>): void {
  const { about, payload } = happened
  const entity = { type: 'schedule', id: payload.schedule_id, title: null }
  const channels = { category: 'routines.missed', audience: 'all' } as const
  const event = { by: { actor_type: 'orchestrator' }, action: 'missed', to: [] } as const
  occur(app, { ...event, happened, workspace: about.workspace_id!, entity, channels })
}

export function opened(app: App, happened: Happened<'mission.created'>): void {
  const { about, payload } = happened
  if (payload.mission_type !== 'issue') return
  const channels = { category: 'issues.created', audience: 'all' } as const
  const entity = issueOf(about, payload)
  occur(app, { happened, workspace: about.workspace_id!, by: about, action: 'created', entity, to: [], channels })
}

export function moved(app: App, happened: Happened<'mission.status_change'>): void {
  const { about, payload } = happened
  if (payload.action !== 'status_changed' || payload.mission_type !== 'issue') return
  const channels = { category: 'issues.state', audience: 'all' } as const
  const entity = issueOf(about, payload)
  occur(app, { happened, workspace: about.workspace_id!, by: about, action: 'moved', entity, to: [], channels })
}

/** Whose channel it is hears that nothing goes through it any more. */
export function channelPaused(app: App, happened: Happened<'notification_channel.paused'>): void {
  const { about, payload } = happened
  const { owner, reason } = payload.metadata
  const entity = { type: 'notification_channel', id: payload.entity_id, title: `${payload.name}: ${reason}` }
  const to = owner ? [owner] : []
  occur(app, { happened, workspace: about.workspace_id!, by: about, action: 'paused', entity, to })
}
