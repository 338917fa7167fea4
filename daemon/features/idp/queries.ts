import { statements } from '#kernel/store/db'

interface State {
  hash: string
  browser: string
  redirect: string
  expires_at: string
}

export const queries = statements((db) => ({
  keep: db.prepare<State>(
    `INSERT INTO idp_states (state_hash, browser_hash, redirect, expires_at)
     VALUES (@hash, @browser, @redirect, @expires_at)`,
  ),
  /** Of concurrent calls with the same state, only one gets the row. */
  burn: db.prepare<{ hash: string; browser: string; now: string }, { redirect: string }>(
    `DELETE FROM idp_states WHERE state_hash = @hash AND browser_hash = @browser AND expires_at > @now
     RETURNING redirect`,
  ),
  sweep: db.prepare<[now: string]>('DELETE FROM idp_states WHERE expires_at <= ?'),
  /** Deletes the states that expire first, beyond the limit. */
  trim: db.prepare<[limit: number]>(
    `DELETE FROM idp_states WHERE expires_at <= (SELECT expires_at FROM idp_states
     ORDER BY expires_at DESC LIMIT 1 OFFSET ?)`,
  ),
}))

/** Statements that scan a table, with the reason. */
export const scans = { trim: 'counts the newest in their index; this statement itself bounds their number' }
