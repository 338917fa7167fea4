import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  find: db.prepare<[agent: string], { svg: string; version: string }>(
    'SELECT svg, version FROM agent_avatars WHERE agent_id = ?',
  ),
  keep: db.prepare<{ agent: string; svg: string; version: string }, { version: string }>(
    `INSERT INTO agent_avatars (agent_id, svg, version) VALUES (@agent, @svg, @version)
     ON CONFLICT DO NOTHING RETURNING version`,
  ),
  remove: db.prepare<[agent: string], { version: string }>(
    'DELETE FROM agent_avatars WHERE agent_id = ? RETURNING version',
  ),
}))
