import { statements } from '#kernel/store/db'

export interface PlaceRow {
  crew_id: string
  agent_id: string
  uid: number
  folder: string
}

export const queries = statements((db) => ({
  find: db.prepare<[crew: string, agent: string], PlaceRow>(
    'SELECT crew_id, agent_id, uid, folder FROM agent_places WHERE crew_id = ? AND agent_id = ?',
  ),
  current: db.prepare<[agent: string], PlaceRow>(
    `SELECT p.crew_id, p.agent_id, p.uid, p.folder FROM agents a JOIN agent_places p ON p.crew_id = a.crew_id
      AND p.agent_id = a.id
     WHERE a.id = ? AND a.deleted_at IS NULL`,
  ),
  ofCrew: db.prepare<[crew: string], PlaceRow>(
    `SELECT p.crew_id, p.agent_id, p.uid, p.folder FROM agents a JOIN agent_places p ON p.crew_id = a.crew_id
      AND p.agent_id = a.id
     WHERE a.crew_id = ? AND a.deleted_at IS NULL ORDER BY p.uid`,
  ),
  departed: db.prepare<[crew: string], PlaceRow & { deleted: 0 | 1 }>(
    `SELECT p.crew_id, p.agent_id, p.uid, p.folder, a.deleted_at IS NOT NULL AS deleted
      FROM agent_places p JOIN agents a ON a.id = p.agent_id
     WHERE p.crew_id = ? AND (a.deleted_at IS NOT NULL OR a.crew_id IS NOT p.crew_id) ORDER BY p.uid`,
  ),
  lastUid: db.prepare<[crew: string], { uid: number | null }>(
    'SELECT max(uid) AS uid FROM agent_places WHERE crew_id = ?',
  ),
  insert: db.prepare<[PlaceRow], PlaceRow>(
    `INSERT INTO agent_places (crew_id, agent_id, uid, folder) VALUES (@crew_id, @agent_id, @uid, @folder)
     ON CONFLICT DO NOTHING RETURNING crew_id, agent_id, uid, folder`,
  ),
}))
