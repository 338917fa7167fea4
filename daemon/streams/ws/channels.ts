import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import { agentById } from '../../features/agents/service.ts'
import { workspaceOfChat } from '../../features/chats/service.ts'
import { desiredCrew } from '../../features/crews/containers/service.ts'

function workspaceOfCrew(app: App, id: string): string | undefined {
  const crew = desiredCrew(app, id)
  return crew && crew.want !== 'removed' ? crew.workspaceId : undefined
}

/** The workspace that a channel of each kind belongs to. */
const owners: Record<string, (app: App, id: string) => string | undefined> = {
  workspace: (_, id) => id,
  journal: (_, id) => id,
  keeper: (_, id) => id,
  crew: workspaceOfCrew,
  files: workspaceOfCrew,
  agent: (app, id) => agentById(app, id)?.workspace_id,
  session: workspaceOfChat,
}

/** Whether a user may listen to a channel, `kind:id` with ids only. Contract part 1, section 10. */
export function mayHear(app: App, userId: string, channel: string): boolean {
  if (channel === 'providers') return true
  const [kind, ...rest] = channel.split(':')
  const id = rest.join(':')
  if (!kind || !id) return false
  if (kind === 'user') return id === userId
  const workspace = Object.hasOwn(owners, kind) ? owners[kind]!(app, id) : undefined
  // A membership is found by a slug too; a channel is not.
  return workspace !== undefined && membership(app.db, workspace, userId)?.workspace_id === workspace
}
