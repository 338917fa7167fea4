import { createHmac, hash as digest, randomBytes } from 'node:crypto'
import type { Code } from '#contract/problems'
import type { Role } from '#contract/roles'
import { createCache } from './cache.ts'
import { type Db, statements } from './db.ts'
import { newId } from './ids.ts'

/** Who presented a valid credential. */
export interface Identity {
  userId: string
  email: string
  token: { id: string; scopes: string[] | null; tier: string; expires_at: string | null }
}

export type Identified = { identity: Identity } | { reason: Extract<Code, 'no_credentials' | 'session_invalid'> }

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
  byId: db.prepare<[id: string], { expires_at: string | null; revoked_at: string | null }>('SELECT expires_at, revoked_at FROM cli_tokens WHERE id = ?'),
  touch: db.prepare<[at: string, id: string]>('UPDATE cli_tokens SET last_used_at = ? WHERE id = ?'),
  use: db.prepare<[id: string, token: string, at: string, addr: string | null, agent: string | null, path: string | null]>(
    'INSERT INTO cli_token_uses (id, token_id, used_at, remote_addr, user_agent, path) VALUES (?, ?, ?, ?, ?, ?)',
  ),
  member: db.prepare<{ named: string; user: string }, { workspace_id: string; role: Role }>(
    `SELECT w.id AS workspace_id, m.role FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id
     WHERE (w.id = @named OR w.slug = @named) AND w.deleted_at IS NULL AND m.user_id = @user
     ORDER BY w.id = @named DESC LIMIT 1`,
  ),
}))

const standardPrefix = 'svc_cli_'
const adminPrefix = 'svc_admin_'

/** A new raw token; specification part 1, "CLI token". */
export const newToken = (tier: string): string => (tier === 'ADMIN' ? adminPrefix : standardPrefix) + randomBytes(32).toString('hex')

/** The key of administrative tokens; null unless it is hexadecimal and has 32 bytes or more. */
export const adminKeyOf = (hex: string): Buffer | null => (/^([0-9a-f]{2}){32,}$/i.test(hex) ? Buffer.from(hex, 'hex') : null)

/** How a token is stored: SHA-256 for the standard tier, HMAC-SHA256 with the server's key for the administrative one; null for no token. */
export function hashToken(raw: string, adminKey: Buffer | null): string | null {
  if (!/^svc_(cli|admin)_[0-9a-f]{64}$/.test(raw)) return null
  if (raw.startsWith(standardPrefix)) return digest('sha256', raw, 'hex')
  return adminKey && createHmac('sha256', adminKey).update(raw).digest('hex')
}

/** The caller's role in a workspace named by id or slug; undefined for unknown, deleted and foreign ones alike. */
export const membership = (db: Db, workspace: string, user: string): { workspace_id: string; role: Role } | undefined =>
  queries(db).member.get({ named: workspace, user })

export interface Request {
  authorization: string | undefined
  remoteAddress: string | null
  userAgent: string | null
  /** Without its query, which may hold what nobody should keep. */
  path: string
}

export interface Authenticator {
  /** A failing store throws: nobody is told that a good token is bad. */
  identify(request: Request): Identified | Promise<Identified>
  /** Puts a use of an administrative token on record, before it has any effect; nothing for the others. */
  record(token: Identity['token'], use: Omit<Request, 'authorization'>): Promise<void>
  /** True while the token is neither revoked nor past its time: long connections ask again. */
  holds(tokenId: string): boolean
  /** Forgets a token at once, when it is revoked. */
  forget(tokenId: string): void
}

interface Parts {
  db: Db
  clock: () => number
  adminKey: Buffer | null
  write: <T>(work: () => T) => Promise<T>
}

const hitsFor = 10_000
const missesFor = 30_000
const remembered = 10_000
const touchEvery = 60_000

/** Bearer tokens of devices and programs (specification part 1, "CLI token"); lookups are remembered for 10 s, misses for 30 s. */
export function createAuthenticator({ db, clock, adminKey, write }: Parts): Authenticator {
  // Two caches: a flood of made-up tokens must not push out the real ones.
  const hits = createCache<{ identity: Identity; until: number }>(remembered)
  const misses = createCache<number>(remembered)
  const touched = createCache<number>(remembered)

  function find(hash: string): Identity | null {
    const now = clock()
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
    const identity = { userId: row.user_id, email: row.email, token: { id: row.id, scopes, tier: row.tier, expires_at: row.expires_at } }
    hits.set(hash, { identity, until: now + hitsFor })
    return identity
  }

  function touch(id: string): void {
    const now = clock()
    if (now - (touched.get(id) ?? 0) < touchEvery) return
    touched.set(id, now)
    // When a token was last used is a courtesy: losing one update does no harm.
    void write(() => queries(db).touch.run(new Date(now).toISOString().slice(0, 19) + 'Z', id)).catch(() => undefined)
  }

  async function record({ id, tier }: Identity['token'], { remoteAddress, userAgent, path }: Omit<Request, 'authorization'>): Promise<void> {
    if (tier !== 'ADMIN') return
    await write(() =>
      queries(db).use.run(newId(clock()), id, new Date(clock()).toISOString(), remoteAddress, userAgent?.slice(0, 250) ?? null, path.slice(0, 500)),
    )
  }

  return {
    identify(request) {
      const raw = /^Bearer +(\S+) *$/i.exec(request.authorization ?? '')?.[1]
      if (!raw) return { reason: request.authorization ? 'session_invalid' : 'no_credentials' }
      const hash = hashToken(raw, adminKey)
      const identity = hash === null ? null : find(hash)
      if (!identity) return { reason: 'session_invalid' }
      const { id, tier, expires_at } = identity.token
      if (expires_at && Date.parse(expires_at) <= clock()) return { reason: 'session_invalid' }
      touch(id)
      return tier === 'ADMIN' ? record(identity.token, request).then(() => ({ identity })) : { identity }
    },
    record,
    holds(tokenId) {
      const row = queries(db).byId.get(tokenId)
      return row !== undefined && !row.revoked_at && !(row.expires_at && Date.parse(row.expires_at) <= clock())
    },
    forget(tokenId) {
      for (const [hash, { identity }] of hits.entries()) if (identity.token.id === tokenId) hits.delete(hash)
    },
  }
}
