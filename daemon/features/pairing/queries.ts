import { statements } from '#kernel/store/db'

export interface Row {
  user_id: string
  token_id: string | null
  status: 'pending' | 'consumed'
  adapter_hint: string | null
  expires_at: string
}
const columns = 'user_id, token_id, status, adapter_hint, expires_at'

interface NewPairing {
  id: string
  user: string
  token: string | null
  hash: string
  hint: string | null
  challenge: string | null
  now: string
  expires_at: string
}

export const queries = statements((db) => ({
  /** No row when the code is in use. */
  insert: db.prepare<NewPairing, { id: string }>(
    `INSERT INTO cli_pairings (id, user_id, token_id, code_hash, status, adapter_hint, challenge, created_at,
      expires_at)
     VALUES (@id, @user, @token, @hash, 'pending', @hint, @challenge, @now, @expires_at) ON CONFLICT DO NOTHING
     RETURNING id`,
  ),
  find: db.prepare<{ hash: string; user: string; now: string; latest: string }, Row>(
    `SELECT ${columns} FROM cli_pairings WHERE code_hash = @hash AND user_id = @user AND expires_at > @now
      AND expires_at <= @latest`,
  ),
  /**
   * Of many who come with the same code, one gets the row; whoever lacks the secret behind its challenge leaves it as
   * it is.
   */
  consume: db.prepare<
    { hash: string; hint: string | null; challenge: string | null; now: string; latest: string },
    Row
  >(
    `UPDATE cli_pairings SET status = 'consumed', consumed_at = @now, adapter_hint = coalesce(@hint, adapter_hint)
     WHERE code_hash = @hash AND status = 'pending' AND challenge IS @challenge AND expires_at > @now
     AND expires_at <= @latest RETURNING ${columns}`,
  ),
  /** Those that a browser asked for: the others end with their token. */
  forgetPending: db.prepare<[user: string]>(
    "DELETE FROM cli_pairings WHERE user_id = ? AND token_id IS NULL AND status = 'pending'",
  ),
  forget: db.prepare<[before: string]>('DELETE FROM cli_pairings WHERE expires_at <= ?'),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { forgetPending: 'there are only the codes of the last ten minutes' }
