import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'

/** Whether a user may listen to a channel, `kind:id` with ids only. */
export function mayHear(app: App, userId: string, channel: string): boolean {
  if (channel === 'providers') return true
  const [kind, ...rest] = channel.split(':')
  const id = rest.join(':')
  if (!kind || !id) return false
  if (kind === 'user') return id === userId
  const workspace = app.channels.get(kind)?.(app, id, userId)
  // `membership` also finds workspaces by slug, but channels have ids only.
  return workspace !== undefined && membership(app.db, workspace, userId)?.workspace_id === workspace
}
