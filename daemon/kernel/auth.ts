import { createHash, createHmac } from 'node:crypto'
import type { Code } from '#contract/problems'
import type { Role } from '#contract/roles'
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

const queries = statements((db) => ({
  token: db.prepare<[hash: string], TokenRow>(
    `SELECT t.id, t.user_id, u.email, t.tier, t.scopes_json, t.expires_at, t.revoked_at
     FROM cli_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = ?`,
  ),
  byId: db.prepare<[id: string], { expires_at: string | null; revoked_at: string | null }>('SELECT expires_at, revoked_at FROM cli_tokens WHERE id = ?'),
  touch: db.prepare<[at: string, id: string]>('UPDATE cli_tokens SET last_used_at = ? WHERE id = ?'),
  use: db.prepare<[id: string, token: string, at: string, addr: string | null, agent: string | null, path: string | null]>(
    'INSERT INTO cli_token_uses (id, token_id, used_at, remote_addr, user_agent, path) VALUES (?, ?, ?, ?, ?, ?)',
  ),
  member: db.prepare<[value: string, value: string, user: string], { workspace_id: string; role: Role }>(
    `SELECT w.id AS workspace_id, m.role FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id
     WHERE (w.id = ? OR w.slug = ?) AND w.deleted_at IS NULL AND m.user_id = ?`,
  ),
}))

export const standardPrefix = 'svc_cli_'
export const adminPrefix = 'svc_admin_'

/** How a token is stored: SHA-256 for the standard tier, HMAC-SHA256 with the server's key for the administrative one. */
export function hashToken(raw: string, adminKey: string): string | null {
  if (raw.startsWith(standardPrefix)) return createHash('sha256').update(raw).digest('hex')
  if (raw.startsWith(adminPrefix) && adminKey) return createHmac('sha256', Buffer.from(adminKey, 'hex')).update(raw).digest('hex')
  return null
}

/** The caller's role in a workspace named by id or slug; undefined for unknown, deleted and foreign ones alike. */
export const membership = (db: Db, workspace: string, user: string): { workspace_id: string; role: Role } | undefined =>
  queries(db).member.get(workspace, workspace, user)

export interface Request {
  authorization: string | undefined
  remoteAddress: string | null
  userAgent: string | null
  path: string
}

export interface Authenticator {
  identify(request: Request): Identified
  /** True while the token is neither revoked nor past its time: long connections ask again. */
  holds(tokenId: string): boolean
  /** Forgets a token at once, when it is revoked. */
  forget(tokenId: string): void
}

interface Parts {
  db: Db
  clock: () => number
  adminKey: string
  write: <T>(work: () => T) => Promise<T>
  writeNow: <T>(work: () => T) => T
}

const keepFor = 10_000
const missFor = 30_000
const cacheLimit = 10_000

/** Bearer tokens of devices and programs (specification part 1, "CLI token"); lookups are remembered for 10 s, misses for 30 s. */
export function createAuthenticator({ db, clock, adminKey, write, writeNow }: Parts): Authenticator {
  const known = new Map<string, { identity: Identity | null; until: number }>()
  const touched = new Map<string, number>()

  function lookUp(hash: string): Identity | null {
    const row = queries(db).token.get(hash)
    if (!row || row.revoked_at) return null
    const scopes = row.scopes_json ? (JSON.parse(row.scopes_json) as string[]) : null
    return { userId: row.user_id, email: row.email, token: { id: row.id, scopes, tier: row.tier, expires_at: row.expires_at } }
  }

  function find(hash: string): Identity | null {
    const now = clock()
    const cached = known.get(hash)
    if (cached && cached.until > now) return cached.identity
    const identity = lookUp(hash)
    if (known.size >= cacheLimit) known.clear()
    known.set(hash, { identity, until: now + (identity ? keepFor : missFor) })
    return identity
  }

  function touch(id: string): void {
    const now = clock()
    if (now - (touched.get(id) ?? 0) < 60_000) return
    if (touched.size >= cacheLimit) touched.clear()
    touched.set(id, now)
    // When a token was last used is a courtesy: losing one update does no harm.
    void write(() => queries(db).touch.run(new Date(now).toISOString().slice(0, 19) + 'Z', id)).catch(() => undefined)
  }

  return {
    identify({ authorization, remoteAddress, userAgent, path }) {
      const raw = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]?.trim()
      if (!raw) return { reason: authorization ? 'session_invalid' : 'no_credentials' }
      const hash = hashToken(raw, adminKey)
      const identity = hash ? find(hash) : null
      if (!identity) return { reason: 'session_invalid' }
      if (identity.token.expires_at && Date.parse(identity.token.expires_at) <= clock()) return { reason: 'session_invalid' }
      if (identity.token.tier === 'ADMIN') {
        // Every use of an administrative token is on record before it has any effect.
        writeNow(() =>
          queries(db).use.run(newId(clock()), identity.token.id, new Date(clock()).toISOString(), remoteAddress, userAgent?.slice(0, 250) ?? null, path),
        )
      }
      touch(identity.token.id)
      return { identity }
    },
    holds(tokenId) {
      const row = queries(db).byId.get(tokenId)
      return row !== undefined && !row.revoked_at && !(row.expires_at && Date.parse(row.expires_at) <= clock())
    },
    forget(tokenId) {
      for (const [hash, { identity }] of known) if (identity?.token.id === tokenId) known.delete(hash)
    },
  }
}
