import type { Acting } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { oneLine } from '#kernel/mail/letter'
import { actorIn, tell } from '../feed/service.ts'
import { inAudience, isMember, mentionedIn } from './people.ts'
import { queries } from './queries.ts'

/** Something that people are told of. */
interface Event {
  workspace: string
  by: Acting
  action: string
  entity: { type: string; id: string | null; title: string | null }
  /** Those whom it concerns. Who did it themselves, and who is no member, is not told. */
  to: readonly string[]
}

/** Puts an event into the feeds of those whom it concerns, in the transaction of the event itself. */
function occur(app: App, { workspace, by, action, entity, to }: Event): void {
  const actor = actorIn(by)
  const isOwn = (user: string) => by.actor_type === 'user' && by.actor_id === user
  const title = entity.title === null ? null : oneLine(entity.title)
  for (const user of new Set(to))
    if (!isOwn(user) && isMember(app, workspace, user))
      tell(app, {
        ...actor,
        workspace_id: workspace,
        user_id: user,
        action,
        entity_type: entity.type,
        entity_id: entity.id,
        entity_title: title,
      })
}

const issueOf = (
  about: { mission_id?: string | undefined },
  { identifier, title }: Record<'identifier' | 'title', string>,
) => ({
  type: 'issue',
  id: about.mission_id ?? null,
  title: `${identifier} ${title}`,
})

export function assigned(app: App, { payload, about }: Happened<'mission.assigned'>): void {
  const { assignee_type, assignee_id } = payload
  const to = assignee_type === 'user' && assignee_id ? [assignee_id] : []
  occur(app, { workspace: about.workspace_id!, by: about, action: 'assigned', entity: issueOf(about, payload), to })
}

/** Whoever is mentioned is told that, and not of the comment as well. */
export function commented(app: App, { payload, about }: Happened<'mission.comment'>): void {
  const workspace = about.workspace_id!
  const mentioned = mentionedIn(app, workspace, payload.body)
  const concerned = about.mission_id ? queries(app.db).concerned.all({ id: about.mission_id }) : []
  const event = { workspace, by: about, entity: issueOf(about, payload) }
  occur(app, { ...event, action: 'mentioned', to: mentioned })
  occur(app, { ...event, action: 'commented', to: concerned.filter((user) => !mentioned.includes(user)) })
}

const workspaceEntity = ({ db }: App, id: string) => ({
  type: 'workspace',
  id,
  title: queries(db).workspace.get(id)?.name ?? null,
})

function ofMember(app: App, action: string, { about, payload }: Happened<'workspace_member.created'>): void {
  const workspace = about.workspace_id!
  const entity = workspaceEntity(app, workspace)
  occur(app, { workspace, by: about, action, entity, to: [payload.metadata.user_id] })
}

export const added = (app: App, it: Happened<'workspace_member.created'>): void => ofMember(app, 'added', it)

export const roleChanged = (app: App, it: Happened<'workspace_member.updated'>): void =>
  ofMember(app, 'role_changed', it as unknown as Happened<'workspace_member.created'>)

/** Who invited somebody hears that they came. */
export function joined(app: App, { payload, about }: Happened<'invitation.accepted'>): void {
  const workspace = about.workspace_id!
  const inviter = queries(app.db).inviter.get(payload.entity_id)?.invited_by
  const entity = workspaceEntity(app, workspace)
  occur(app, { workspace, by: about, action: 'joined', entity, to: inviter ? [inviter] : [] })
}

/** Those for whom its card in the inbox is. */
export function requested(app: App, { payload, about }: Happened<'approval.requested'>): void {
  const workspace = about.workspace_id!
  const { approval_id: id, kind, asked } = payload
  const to = inAudience(app, workspace, queries(app.db).audienceOfDecision.get(id))
  const entity = { type: kind === 'waitpoint' ? 'waitpoint' : 'approval', id, title: asked }
  occur(app, { workspace, by: about, action: 'approval_requested', entity, to })
}

/** The same question is recorded again when its agent goes on without an answer. */
export function escalated(app: App, { payload, about }: Happened<'peer.escalation'>): void {
  const id = about.refs?.['escalation_id']
  if (payload.state !== 'pending' || !payload.agent_still_waiting || typeof id !== 'string') return
  const workspace = about.workspace_id!
  const to = inAudience(app, workspace, queries(app.db).audienceOfDecision.get(id))
  const by = { actor_type: 'agent', actor_id: about.agent_id } as const
  occur(app, { workspace, by, action: 'escalated', entity: { type: 'escalation', id, title: payload.reason }, to })
}

export function asked(app: App, { payload, about }: Happened<'run.parked'>): void {
  const workspace = about.workspace_id!
  const { inbox_item_id: id, question: title } = payload
  const to = inAudience(app, workspace, queries(app.db).audienceOfItem.get(workspace, id))
  const by = { actor_type: 'agent', actor_id: about.agent_id } as const
  occur(app, { workspace, by, action: 'asked', entity: { type: 'inbox_item', id, title }, to })
}

/** Who started a run hears that it failed; of the runs that a routine began, its own end tells. */
export function runFailed(app: App, { payload, about }: Happened<'run.failed' | 'run.timeout'>): void {
  const run = about.trace_id ? queries(app.db).run.get(about.trace_id) : undefined
  if (!run?.triggered_by || run.source === 'routine') return
  const { error_message: reason } = payload
  const title = reason ? `${run.agent_name}: ${reason}` : run.agent_name
  const by = { actor_type: 'agent', actor_id: about.agent_id } as const
  const entity = { type: 'run', id: about.trace_id!, title }
  occur(app, { workspace: about.workspace_id!, by, action: 'failed', entity, to: [run.triggered_by] })
}

export function routineFailed(app: App, { payload, about }: Happened<'routine_run.failed'>): void {
  const { run_id: id, pipeline_slug, error_message: reason } = payload
  const user = queries(app.db).routineRun.get(id)?.user_id
  const title = reason ? `${pipeline_slug}: ${reason}` : pipeline_slug
  const by = { actor_type: 'orchestrator' } as const
  const entity = { type: 'routine_run', id, title }
  occur(app, { workspace: about.workspace_id!, by, action: 'failed', entity, to: user ? [user] : [] })
}
