import type { Worker } from '#contract/projects'
import { statements } from '#kernel/store/db'

export interface Stored {
  id: string
  mission_id: string
  author_type: Worker
  author_id: string
  body: string
  created_at: string
  updated_at: string
}

export interface Row extends Stored {
  author_name: string | null
}

const select = `SELECT k.id, k.mission_id, k.author_type, k.author_id, k.body, k.created_at, k.updated_at,
    CASE k.author_type
      WHEN 'agent' THEN (SELECT a.name FROM agents a WHERE a.id = k.author_id)
      ELSE (SELECT coalesce(u.full_name, u.email) FROM users u WHERE u.id = k.author_id)
    END AS author_name
  FROM mission_comments k`

export const queries = statements((db) => ({
  list: db.prepare<[issue: string, limit: number, offset: number], Row>(
    `${select} WHERE k.mission_id = ? ORDER BY k.rowid LIMIT ? OFFSET ?`,
  ),
  newest: db.prepare<[issue: string, limit: number], Row>(
    `${select} WHERE k.mission_id = ? ORDER BY k.rowid DESC LIMIT ?`,
  ),
  find: db.prepare<[id: string], Row>(`${select} WHERE k.id = ?`),
  insert: db.prepare<[Stored]>(
    `INSERT INTO mission_comments (id, mission_id, author_type, author_id, body, created_at, updated_at)
     VALUES (@id, @mission_id, @author_type, @author_id, @body, @created_at, @updated_at)`,
  ),
}))
