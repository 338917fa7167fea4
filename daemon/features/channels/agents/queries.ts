import { statements } from '#kernel/store/db'

export interface Grant {
  id: string
  workspace_id: string
  channel_id: string
  agent_id: string
  granted_by: string | null
  created_at: string
}

const columns = 'g.id, g.workspace_id, g.channel_id, g.agent_id, g.granted_by, g.created_at'

export const queries = statements((db) => ({
  ofChannel: db.prepare<[channel: string], Grant & { agent_name: string; agent_slug: string }>(
    `SELECT ${columns}, a.name AS agent_name, a.slug AS agent_slug
     FROM notification_channel_agents g JOIN agents a ON a.id = g.agent_id
     WHERE g.channel_id = ? AND a.deleted_at IS NULL ORDER BY g.created_at, g.rowid`,
  ),
  ofAgent: db.prepare<[agent: string], { id: string; type: string; provider: string | null; enabled: number }>(
    `SELECT c.id, c.type, c.provider, c.enabled
     FROM notification_channel_agents g JOIN notification_channels c ON c.id = g.channel_id
     WHERE g.agent_id = ? AND c.deleted_at IS NULL ORDER BY g.created_at, g.rowid`,
  ),
  find: db.prepare<[channel: string, agent: string], { id: string }>(
    'SELECT id FROM notification_channel_agents WHERE channel_id = ? AND agent_id = ?',
  ),
  allow: db.prepare<[Grant], { id: string }>(
    `INSERT INTO notification_channel_agents (id, workspace_id, channel_id, agent_id, granted_by, created_at)
     VALUES (@id, @workspace_id, @channel_id, @agent_id, @granted_by, @created_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  deny: db.prepare<[channel: string, agent: string], { id: string }>(
    'DELETE FROM notification_channel_agents WHERE channel_id = ? AND agent_id = ? RETURNING id',
  ),
  leave: db.prepare<[agent: string]>('DELETE FROM notification_channel_agents WHERE agent_id = ?'),
}))
