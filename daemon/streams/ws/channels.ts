import type { App } from '#kernel/app'
import { membership } from '#kernel/auth'
import { statements } from '#kernel/db'

const queries = statements((db) => ({
  crew: db.prepare<[id: string], { workspace_id: string }>('SELECT workspace_id FROM crews WHERE id = ? AND deleted_at IS NULL'),
  agent: db.prepare<[id: string], { workspace_id: string }>('SELECT workspace_id FROM agents WHERE id = ? AND deleted_at IS NULL'),
  session: db.prepare<[id: string], { workspace_id: string }>('SELECT workspace_id FROM chats WHERE id = ?'),
}))

const owned = { crew: 'crew', files: 'crew', agent: 'agent', session: 'session' } as const
const ofWorkspace = new Set(['workspace', 'journal', 'keeper'])

/** Whether a user may listen to a channel, `kind:id` with ids only. Contract part 1, section 10. */
export function mayHear(app: App, userId: string, channel: string): boolean {
  if (channel === 'providers') return true
  const at = channel.indexOf(':')
  const [kind, id] = [channel.slice(0, at), channel.slice(at + 1)]
  if (at < 1 || !id) return false
  if (kind === 'user') return id === userId
  const table = owned[kind as keyof typeof owned]
  const workspace = ofWorkspace.has(kind) ? id : table && queries(app.db)[table].get(id)?.workspace_id
  return workspace !== undefined && membership(app.db, workspace, userId)?.workspace_id === workspace
}
