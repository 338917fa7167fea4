import { createCache } from '../cache.ts'
import { type Db, statements } from '../store/db.ts'
import type { Claims, Seals } from './seals.ts'

interface Row {
  id: string
  user_id: string
  email: string
  expires_at: string
  revoked_at: string | null
  last_used_at: string
  factor_at: string | null
  two_factor_at: string | null
}

export const queries = statements((db) => ({
  find: db.prepare<[id: string], Row>(
    `SELECT s.id, s.user_id, u.email, s.expires_at, s.revoked_at, s.last_used_at, s.factor_at, u.two_factor_at
     FROM user_sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ?`,
  ),
  touch: db.prepare<[at: string, id: string]>('UPDATE user_sessions SET last_used_at = ? WHERE id = ?'),
}))

export interface SessionIdentity {
  userId: string
  email: string
  session: { id: string; stale: boolean; unproven: boolean }
}

export type SessionVerdict =
  | { identity: SessionIdentity }
  | { reason: 'session_expired' | 'session_revoked' | 'session_invalid' }

interface Parts {
  db: Db
  clock: () => number
  seals: Seals
  write: <T>(work: () => T) => Promise<T>
}

const remembered = 10_000
const touchEvery = 60_000
/** Milliseconds for which a second factor counts before operations that need it ask again. */
export const factorValidMs = 15 * 60_000

/** Identifies browser sessions by their access token and their stored row. */
export function createSessions({ db, clock, seals, write }: Parts) {
  // Decrypting a token is the most expensive part of a small request, so it is cached. The row is read each time, so a
  // revocation takes effect at once.
  const opened = createCache<Claims>(remembered)
  const touched = createCache<number>(remembered)

  async function open(token: string): Promise<Claims | 'expired' | null> {
    const known = opened.get(token)
    if (known) return known.expires * 1000 > clock() ? known : 'expired'
    const claims = await seals.read('access', token)
    if (claims && claims !== 'expired') opened.set(token, claims)
    return claims
  }

  function touch({ id, last_used_at }: Row): void {
    const now = clock()
    if (Math.abs(now - Math.max(Date.parse(last_used_at), touched.get(id) ?? 0)) < touchEvery) return
    touched.set(id, now)
    // Best effort: losing one update of the last use does no harm.
    void write(() => queries(db).touch.run(`${new Date(now).toISOString().slice(0, 19)}Z`, id)).catch(() => undefined)
  }

  function judge(id: string, user: string): SessionVerdict {
    const row = queries(db).find.get(id)
    if (!row || row.revoked_at || row.user_id !== user) return { reason: 'session_revoked' }
    if (Date.parse(row.expires_at) <= clock()) return { reason: 'session_expired' }
    touch(row)
    const stale =
      row.two_factor_at !== null && !(row.factor_at && Math.abs(clock() - Date.parse(row.factor_at)) < factorValidMs)
    return { identity: { userId: row.user_id, email: row.email, session: { id, stale, unproven: isUnproven(row) } } }
  }

  return {
    /** Identifies the session of an access token. Throws when the store fails. */
    async identify(token: string): Promise<SessionVerdict> {
      const claims = await open(token)
      if (claims === 'expired') return { reason: 'session_expired' }
      return claims ? judge(claims.sessionId, claims.userId) : { reason: 'session_invalid' }
    },
    /** True while the session is not revoked, expired or missing a second factor. */
    holds(id: string): boolean {
      const row = queries(db).find.get(id)
      return row !== undefined && !row.revoked_at && Date.parse(row.expires_at) > clock() && !isUnproven(row)
    },
  }
}

/** Whether the user's second factor was never shown in this session. */
const isUnproven = ({ two_factor_at, factor_at }: Row): boolean => two_factor_at !== null && factor_at === null
