import { createHmac, hash as digest, randomBytes } from 'node:crypto'
import type { Code } from '#contract/problems'
import { createCache } from '../cache.ts'
import { readCookie } from '../http/cookies.ts'
import { newId } from '../ids.ts'
import { type Db, statements } from '../store/db.ts'
import type { Vault } from '../store/vault.ts'
import { createSeals, type Seals } from './seals.ts'
import { createSessions } from './sessions.ts'

/** Who presented a valid credential. */
export interface Identity {
  userId: string
  email: string
  token: Token | null
  session: { id: string; stale: boolean; unproven: boolean } | null
}

interface Token {
  id: string
  scopes: string[] | null
  tier: string
  expires_at: string | null
}

/** Why nobody is signed in; `expired_at` of a token that was good until then. */
export interface Unidentified {
  reason: Extract<Code, 'no_credentials' | `session_${string}`>
  expired_at?: string
}

export type Identified = { identity: Identity } | Unidentified

interface TokenRow {
  id: string
  user_id: string
  email: string
  tier: string
  scopes_json: string | null
  expires_at: string | null
  revoked_at: string | null
}

export const queries = statements((db) => ({
  token: db.prepare<[hash: string], TokenRow>(
    `SELECT t.id, t.user_id, u.email, t.tier, t.scopes_json, t.expires_at, t.revoked_at
     FROM cli_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = ?`,
  ),
  byId: db.prepare<[id: string], { expires_at: string | null; revoked_at: string | null }>(
    'SELECT expires_at, revoked_at FROM cli_tokens WHERE id = ?',
  ),
  touch: db.prepare<[at: string, id: string]>('UPDATE cli_tokens SET last_used_at = ? WHERE id = ?'),
  use: db.prepare<
    [id: string, token: string, at: string, addr: string | null, agent: string | null, path: string | null]
  >('INSERT INTO cli_token_uses (id, token_id, used_at, remote_addr, user_agent, path) VALUES (?, ?, ?, ?, ?, ?)'),
}))

const standardPrefix = 'svc_cli_'
const adminPrefix = 'svc_admin_'

/** A new raw token; docs/rules/accounts.md, "CLI tokens". */
export const newToken = (tier: string): string =>
  (tier === 'ADMIN' ? adminPrefix : standardPrefix) + randomBytes(32).toString('hex')

/** The key of administrative tokens; null unless it is hexadecimal and has 32 bytes or more. */
export const adminKeyOf = (hex: string): Buffer | null =>
  /^([0-9a-f]{2}){32,}$/i.test(hex) ? Buffer.from(hex, 'hex') : null

/** The stored form of a token: SHA-256, or HMAC-SHA256 with the server's key for administrative ones; else null. */
export function hashToken(raw: string, adminKey: Buffer | null): string | null {
  if (!/^svc_(cli|admin)_[0-9a-f]{64}$/.test(raw)) return null
  if (raw.startsWith(standardPrefix)) return digest('sha256', raw, 'hex')
  return adminKey && createHmac('sha256', adminKey).update(raw).digest('hex')
}

export interface Request {
  authorization: string | undefined
  cookie?: string | undefined
  /** Whether it came over HTTPS, as far as cookies are concerned. */
  secure?: boolean
  remoteAddress: string | null
  userAgent: string | null
  /** Without the query, which may hold secrets. */
  path: string
}

export interface Authenticator {
  /** Throws when the store fails, rather than calling a valid token invalid. */
  identify(request: Request): Identified | Promise<Identified>
  /** Records the use of an administrative token before it has any effect; does nothing for others. */
  record(token: Token, use: Omit<Request, 'authorization'>): Promise<void>
  /** True while this token or session is not revoked, expired or missing a second factor; for long connections. */
  holds(credentialId: string): boolean
  /** Evicts a revoked token from the cache. */
  forget(tokenId: string): void
  /** Makes and reads the tokens of sessions. */
  readonly seals: Seals
}

/** The id of the caller's CLI token or session; null for the daemon itself. */
export const credentialOf = ({
  token,
  session,
}: {
  token: { id: string } | null
  session: { id: string } | null
}): string | null => token?.id ?? session?.id ?? null

interface Parts {
  db: Db
  clock: () => number
  /** Monotonic, so that cached lookups expire in time. */
  steady: () => number
  adminKey: Buffer | null
  vault: Vault | null
  write: <T>(work: () => T) => Promise<T>
}

type TokenIdentity = Identity & { token: Token }

const hitsFor = 10_000
const missesFor = 30_000
const remembered = 10_000
const touchEvery = 60_000

/**
 * Identifies CLI tokens by bearer, and browser sessions by cookie or bearer. Lookups of tokens are cached for 10 s,
 * misses for 30 s. docs/rules/accounts.md, "CLI tokens".
 */
export function createAuthenticator({ db, clock, steady, adminKey, vault, write }: Parts): Authenticator {
  const seals = createSeals(vault, clock)
  const sessions = createSessions({ db, clock, seals, write })
  // Two caches, so that a flood of invalid tokens does not evict valid ones.
  const hits = createCache<{ identity: TokenIdentity; until: number }>(remembered)
  const misses = createCache<number>(remembered)
  const touched = createCache<number>(remembered)

  function find(hash: string): TokenIdentity | null {
    const now = steady()
    const hit = hits.get(hash)
    if (hit && hit.until > now) return hit.identity
    if ((misses.get(hash) ?? 0) > now) return null
    const row = queries(db).token.get(hash)
    if (!row || row.revoked_at) {
      hits.delete(hash)
      misses.set(hash, now + missesFor)
      return null
    }
    const scopes = row.scopes_json ? (JSON.parse(row.scopes_json) as string[]) : null
    const token = { id: row.id, scopes, tier: row.tier, expires_at: row.expires_at }
    const identity = { userId: row.user_id, email: row.email, token, session: null }
    hits.set(hash, { identity, until: now + hitsFor })
    return identity
  }

  function touch(id: string): void {
    const now = steady()
    if (now - (touched.get(id) ?? 0) < touchEvery) return
    touched.set(id, now)
    // Best effort: losing one update of the last use does no harm.
    void write(() => queries(db).touch.run(new Date(clock()).toISOString().slice(0, 19) + 'Z', id)).catch(
      () => undefined,
    )
  }

  async function record(
    { id, tier }: Token,
    { remoteAddress, userAgent, path }: Omit<Request, 'authorization'>,
  ): Promise<void> {
    if (tier !== 'ADMIN') return
    await write(() =>
      queries(db).use.run(
        newId(clock()),
        id,
        new Date(clock()).toISOString(),
        remoteAddress,
        userAgent?.slice(0, 250) ?? null,
        path.slice(0, 500),
      ),
    )
  }

  function identifyToken(raw: string, request: Request): Identified | Promise<Identified> {
    const hash = hashToken(raw, adminKey)
    const identity = hash === null ? null : find(hash)
    if (!identity) return { reason: 'session_invalid' }
    const { id, tier, expires_at } = identity.token
    if (expires_at && Date.parse(expires_at) <= clock()) return { reason: 'session_invalid', expired_at: expires_at }
    touch(id)
    return tier === 'ADMIN' ? record(identity.token, request).then(() => ({ identity })) : { identity }
  }

  async function identifySession(raw: string): Promise<Identified> {
    const verdict = await sessions.identify(raw)
    return 'reason' in verdict ? verdict : { identity: { ...verdict.identity, token: null } }
  }

  return {
    identify(request) {
      const bearer = /^Bearer +(\S+) *$/i.exec(request.authorization ?? '')?.[1]
      if (!bearer && request.authorization) return { reason: 'session_invalid' }
      const raw = bearer ?? readCookie(request.cookie, 'access', request.secure ?? false)
      if (!raw) return { reason: 'no_credentials' }
      return raw.startsWith('svc_') ? identifyToken(raw, request) : identifySession(raw)
    },
    record,
    seals,
    holds(id) {
      if (id.startsWith('s_')) return sessions.holds(id)
      const row = queries(db).byId.get(id)
      return row !== undefined && !row.revoked_at && !(row.expires_at && Date.parse(row.expires_at) <= clock())
    },
    forget(tokenId) {
      for (const [hash, { identity }] of hits.entries()) if (identity.token.id === tokenId) hits.delete(hash)
    },
  }
}
