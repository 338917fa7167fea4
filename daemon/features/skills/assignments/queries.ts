import { statements } from '#kernel/store/db'

export interface Assigned {
  id: string
  agent_id: string
  skill_id: string
  config: string | null
  name: string
  slug: string
  display_name: string
  description: string | null
  category: string
  source: string
  icon: string | null
  version: string
  bytes: number
}

export interface Holder {
  skill_id: string
  agent_id: string
  agent_slug: string
  agent_name: string
  avatar_seed: string | null
  avatar_style: string | null
  avatar_version: string | null
  workspace_id: string
  crew_id: string | null
  crew_slug: string | null
  crew_name: string | null
  crew_color: string | null
  crew_icon: string | null
  crew_avatar_style: string | null
}

export const queries = statements((db) => ({
  ofAgent: db.prepare<[agent: string], Assigned>(
    `SELECT g.id, g.agent_id, g.skill_id, g.config, s.name, s.slug, s.display_name, s.description, s.category, s.source,
      s.icon, s.version, s.bytes
     FROM agent_skills g JOIN skills s ON s.id = g.skill_id WHERE g.agent_id = ? ORDER BY s.slug`,
  ),
  /** The agents of a workspace that have a skill. */
  holders: db.prepare<[skill: string, workspace: string], Holder>(
    `SELECT g.skill_id, a.id AS agent_id, a.slug AS agent_slug, a.name AS agent_name, a.avatar_seed, a.avatar_style,
      v.version AS avatar_version, a.workspace_id, c.id AS crew_id, c.slug AS crew_slug, c.name AS crew_name,
      c.color AS crew_color, c.icon AS crew_icon, c.avatar_style AS crew_avatar_style
     FROM agent_skills g JOIN agents a ON a.id = g.agent_id LEFT JOIN crews c ON c.id = a.crew_id
     LEFT JOIN agent_avatars v ON v.agent_id = a.id
     WHERE g.skill_id = ? AND a.workspace_id = ? AND a.deleted_at IS NULL ORDER BY a.slug`,
  ),
  add: db.prepare<[{ id: string; agent: string; skill: string; config: string | null; now: string }]>(
    `INSERT INTO agent_skills (id, agent_id, skill_id, config, created_at)
     VALUES (@id, @agent, @skill, @config, @now)`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM agent_skills WHERE id = ?'),
  dropAgent: db.prepare<[agent: string]>('DELETE FROM agent_skills WHERE agent_id = ?'),
}))
