import type { Static } from 'typebox'
import type { User } from '#contract/users'
import { statements } from '#kernel/store/db'

export type Row = Static<typeof User>
const columns = 'id, email, full_name, avatar_url'

interface NewUser {
  id: string
  email: string
  full_name: string | null
  password_hash: string | null
  verified_at: string | null
  now: string
}

export const queries = statements((db) => ({
  find: db.prepare<[id: string], Row>(`SELECT ${columns} FROM users WHERE id = ?`),
  /** No row when it is the name already. */
  rename: db.prepare<{ id: string; full_name: string; now: string }, Row>(
    `UPDATE users SET full_name = @full_name, updated_at = @now
      WHERE id = @id AND full_name IS NOT @full_name RETURNING ${columns}`,
  ),
  setAvatarUrl: db.prepare<{ id: string; url: string | null; now: string }, Row>(
    `UPDATE users SET avatar_url = @url, updated_at = @now WHERE id = @id AND avatar_url IS NOT @url
      RETURNING ${columns}`,
  ),
  /** No row when the address has an account. */
  insert: db.prepare<NewUser, Row>(
    `INSERT INTO users (id, email, full_name, password_hash, email_verified_at, created_at, updated_at)
     VALUES (@id, @email, @full_name, @password_hash, @verified_at, @now, @now)
     ON CONFLICT DO NOTHING RETURNING ${columns}`,
  ),
  /** With `mailed` whoever set it reads the mail of this address. The lockout ends. */
  replacePassword: db.prepare<{ user: string; password_hash: string; mailed: 0 | 1; now: string }>(
    `UPDATE users SET password_hash = @password_hash, email_verified_at = coalesce(email_verified_at, iif(@mailed,
      @now, NULL)),
       failed_login_count = 0, last_failed_login_at = NULL, locked_until = NULL, updated_at = @now WHERE id = @user`,
  ),
  dropPassword: db.prepare<[id: string]>(
    `UPDATE users SET password_hash = NULL, failed_login_count = 0, last_failed_login_at = NULL, locked_until = NULL
     WHERE id = ?`,
  ),
  verify: db.prepare<{ id: string; now: string }>(
    'UPDATE users SET email_verified_at = @now, updated_at = @now WHERE id = @id AND email_verified_at IS NULL',
  ),
  turnFactorOn: db.prepare<{ user: string; now: string }>(
    'UPDATE users SET two_factor_at = @now, updated_at = @now WHERE id = @user',
  ),
  turnFactorOff: db.prepare<{ user: string; now: string }, { id: string }>(
    `UPDATE users SET two_factor_at = NULL, updated_at = @now WHERE id = @user AND two_factor_at IS NOT NULL
     RETURNING id`,
  ),
  completeOnboarding: db.prepare<{ user: string; now: string }>(
    'UPDATE users SET onboarding_completed = 1, updated_at = @now WHERE id = @user AND onboarding_completed = 0',
  ),
  any: db.prepare<[], { id: string }>('SELECT id FROM users LIMIT 1'),
  second: db.prepare<[], { id: string }>('SELECT id FROM users LIMIT 1 OFFSET 1'),
  /** The first user, and only the first: no row when there is one already. */
  insertFirst: db.prepare<Omit<NewUser, 'verified_at'>, Row>(
    `INSERT INTO users (id, email, full_name, password_hash, created_at, updated_at)
     SELECT @id, @email, @full_name, @password_hash, @now, @now WHERE NOT EXISTS (SELECT 1 FROM users)
     RETURNING ${columns}`,
  ),
}))

/** Statements that read a whole table, and why they may. */
export const scans = {
  any: 'stops at the first row',
  second: 'stops at the second row',
  insertFirst: 'stops at the first row',
}
