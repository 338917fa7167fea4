import type { NotificationCategory } from '#contract/channels'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { awaiting } from '../../inbox/replies/service.ts'
import { isMember, membersFrom } from '../events/people.ts'
import { type Event, occur } from '../events/service.ts'

type Channels = NonNullable<Event['channels']>

/** What channels alone tell of: it is nobody's own, or stands in the inbox already. */
function tellChannels(
  app: App,
  happened: Happened,
  entity: { type: string; id: string | null | undefined },
  channels: Channels,
): void {
  const { about } = happened
  const event = { happened, workspace: about.workspace_id!, by: about, action: 'reported', to: [] }
  occur(app, { ...event, entity: { type: entity.type, id: entity.id ?? null, title: null }, channels })
}

const admins = (app: App, { about }: Happened): string[] => membersFrom(app, about.workspace_id!, 'ADMIN')
const managers = (app: App, { about }: Happened): string[] => membersFrom(app, about.workspace_id!, 'MANAGER')

/** Who added a credential hears that it ends or is over; those who administer do where that person is gone. */
export function credentialEnds(app: App, happened: Happened<'credential.expiring' | 'credential.expired'>): void {
  const { payload, about } = happened
  const workspace = about.workspace_id!
  const { credential_id: id, credential_name: title, created_by: user } = payload
  const to = user && isMember(app, workspace, user) ? [user] : admins(app, happened)
  const channels = { category: 'system.health' } as const
  const entity = { type: 'credential', id, title }
  const action = happened.name === 'credential.expired' ? 'expired' : 'expiring'
  occur(app, { happened, workspace, by: about, action, entity, to, channels })
}

/** A key that is used up is a matter of budgets; one that its provider refuses is a fault. */
export function keyLeft(app: App, happened: Happened<'credential.failover'>): void {
  const { reason, credential_id: id } = happened.payload
  const category: NotificationCategory = reason === 'refused' ? 'agents.error' : 'agents.budget'
  tellChannels(app, happened, { type: 'credential', id }, { category, audience: managers(app, happened) })
}

export function crewFailed(
  app: App,
  happened: Happened<'container.failed' | 'crew.disk_full' | 'crew.stopped_for_room' | 'provisioning.failed'>,
): void {
  const entity = { type: 'crew', id: happened.about.crew_id }
  const { error: body } = happened.payload as { error?: string }
  tellChannels(app, happened, entity, { category: 'agents.error', body, audience: 'all' })
}

/** That there is room again is told as well: whoever was warned waits for that. */
export function diskLevel(app: App, happened: Happened<'server.disk'>): void {
  const channels = { category: 'system.health', audience: admins(app, happened) } as const
  tellChannels(app, happened, { type: 'server', id: 'disk' }, channels)
}

export function migrated(app: App, happened: Happened<'system.migration'>): void {
  const channels = { category: 'system.migration', audience: admins(app, happened) } as const
  tellChannels(app, happened, { type: 'server', id: 'journal' }, channels)
}

/** What was to be remembered held a secret. */
export function writeRejected(app: App, happened: Happened<'memory.write_rejected'>): void {
  if (happened.payload.reason === 'scrubber') writeBlocked(app, happened)
}

/** What was to be remembered is nothing that models may be given. */
export function writeBlocked(
  app: App,
  happened: Happened<'memory.write_rejected' | 'memory.write_verifier_blocked'>,
): void {
  const channels = { category: 'security', audience: admins(app, happened) } as const
  tellChannels(app, happened, { type: 'memory', id: happened.payload.path }, channels)
}

/** An account is in several workspaces, and each of them has channels. */
export function accountLocked(app: App, { payload, recorded, about }: Happened<'user.locked'>): void {
  const user = payload.entity_id
  for (const [at, one] of recorded.entries())
    occur(app, {
      happened: { payload, recorded: [one] },
      workspace: one.entry.workspace_id,
      by: about,
      action: 'locked',
      entity: { type: 'user', id: user, title: payload.name ?? null },
      to: at === 0 ? [user] : [],
      channels: { category: 'security', priority: 'high', audience: [user] },
    })
}

export function learned(app: App, happened: Happened<'memory.consolidation_proposed' | 'memory.consolidated'>): void {
  const { proposal_id: id } = happened.payload
  const audience = happened.name === 'memory.consolidated' ? 'all' : managers(app, happened)
  tellChannels(app, happened, { type: 'memory_proposal', id }, { category: 'memory', audience })
}

export function consolidationEnded(app: App, happened: Happened<'system.consolidation_completed'>): void {
  const { status, worker_id: id } = happened.payload
  if (status === 'ok') return
  const channels = { category: 'memory', priority: 'medium', audience: managers(app, happened) } as const
  tellChannels(app, happened, { type: 'consolidation', id }, channels)
}

/** Those who wait for an answer and do not see it where it is written. */
export function answered(app: App, happened: Happened<'chat.agent_response'>): void {
  const { chat_id: id, content: body } = happened.payload
  const waiting = id ? awaiting(app, id, happened.about.trace_id ?? null) : null
  if (!waiting) return
  const { title, users: audience } = waiting
  tellChannels(app, happened, { type: 'chat', id }, { category: 'chat.replies', title, body, audience })
}
