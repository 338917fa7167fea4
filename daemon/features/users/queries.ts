import type { Static } from 'typebox'
import type { User } from '#contract/users'
import { statements } from '#kernel/db'

export type Row = Static<typeof User>
const columns = 'id, email, full_name, avatar_url'

interface NewUser {
  id: string
  email: string
  full_name: string
  password_hash: string
  now: string
}

export const queries = statements((db) => ({
  find: db.prepare<[id: string], Row>(`SELECT ${columns} FROM users WHERE id = ?`),
  /** No row when it is the name already. */
  rename: db.prepare<{ id: string; full_name: string; now: string }, Row>(
    `UPDATE users SET full_name = @full_name, updated_at = @now WHERE id = @id AND full_name IS NOT @full_name RETURNING ${columns}`,
  ),
  setAvatarUrl: db.prepare<{ id: string; url: string | null; now: string }, Row>(
    `UPDATE users SET avatar_url = @url, updated_at = @now WHERE id = @id AND avatar_url IS NOT @url RETURNING ${columns}`,
  ),
  any: db.prepare<[], { id: string }>('SELECT id FROM users LIMIT 1'),
  /** The first user, and only the first: no row when there is one already. */
  insertFirst: db.prepare<NewUser, Row>(
    `INSERT INTO users (id, email, full_name, password_hash, created_at, updated_at)
     SELECT @id, @email, @full_name, @password_hash, @now, @now WHERE NOT EXISTS (SELECT 1 FROM users)
     RETURNING ${columns}`,
  ),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { any: 'stops at the first row', insertFirst: 'stops at the first row' }
