import { statements } from '#kernel/store/db'

interface Profile {
  id: string
  email: string
  full_name: string | null
  avatar_url: string | null
  created_at: string
  updated_at: string
  email_verified_at: string | null
  onboarding_completed: number
  has_password: number
  failed_login_count: number
  last_failed_login_at: string | null
  locked_until: string | null
  two_factor_at: string | null
}

interface Membership {
  workspace_id: string
  workspace_name: string
  workspace_slug: string
  role: string
  capabilities_json: string | null
  created_at: string
}

interface CrewMembership {
  crew_id: string
  crew_name: string
  workspace_id: string
  role: string | null
  created_at: string
}

interface Session {
  id: string
  created_at: string
  last_used_at: string
  expires_at: string
  revoked_at: string | null
  revoked_reason: string | null
  user_agent: string | null
  ip: string | null
  factor_at: string | null
}

interface Token {
  id: string
  name: string
  tier: string
  scopes_json: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}

interface TokenUse {
  token_id: string
  used_at: string
  remote_addr: string | null
  user_agent: string | null
  path: string | null
}

interface LinkedAccount {
  provider: string
  provider_account_id: string
  email: string | null
  created_at: string
  last_used_at: string
}

interface Pairing {
  id: string
  status: string
  adapter_hint: string | null
  created_at: string
  expires_at: string
  consumed_at: string | null
}

interface Link {
  purpose: string
  created_at: string
  expires_at: string
}

interface Invitation {
  id: string
  workspace_id: string
  workspace_name: string
  email: string
  role: string
  status: string
  created_at: string
  expires_at: string
  ended_at: string | null
}

interface Hours {
  time_zone: string
  quiet_from: string | null
  quiet_until: string | null
  digest_at: string | null
  urgent_waits: number
  updated_at: string
}

interface PeerCard {
  workspace_id: string
  agent_id: string
  agent_name: string
  content: string
  created_at: string
  updated_at: string
}

interface OwnRoom {
  room_id: string
  workspace_id: string
  kind: string
  title: string | null
  role: string
  joined_at: string
  last_read_seq: number
}

interface Said {
  room_id: string
  seq: number
  content: string
  created_at: string
}

const invitations = `SELECT i.id, i.workspace_id, w.name AS workspace_name, i.email, i.role, i.status, i.created_at,
  i.expires_at, i.ended_at
  FROM workspace_invitations i JOIN workspaces w ON w.id = i.workspace_id`

/** Columns are named one by one: a hash or a secret that is added to a table later does not leave with it. */
export const queries = statements((db) => ({
  profile: db.prepare<[user: string], Profile>(
    `SELECT id, email, full_name, avatar_url, created_at, updated_at, email_verified_at, onboarding_completed,
       iif(password_hash IS NULL, 0, 1) AS has_password, failed_login_count, last_failed_login_at, locked_until,
       two_factor_at FROM users WHERE id = ?`,
  ),
  memberships: db.prepare<[user: string], Membership>(
    `SELECT m.workspace_id, w.name AS workspace_name, w.slug AS workspace_slug, m.role, m.capabilities_json,
      m.created_at
     FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = ? ORDER BY m.created_at, m.rowid`,
  ),
  crewMemberships: db.prepare<[user: string], CrewMembership>(
    `SELECT m.crew_id, c.name AS crew_name, c.workspace_id, m.role, m.created_at
     FROM crew_members m JOIN crews c ON c.id = m.crew_id WHERE m.user_id = ? ORDER BY m.created_at, m.rowid`,
  ),
  sessions: db.prepare<[user: string], Session>(
    `SELECT id, created_at, last_used_at, expires_at, revoked_at, revoked_reason, user_agent, ip, factor_at
     FROM user_sessions WHERE user_id = ? ORDER BY created_at, rowid`,
  ),
  tokens: db.prepare<[user: string], Token>(
    `SELECT id, name, tier, scopes_json, created_at, expires_at, last_used_at, revoked_at
      FROM cli_tokens WHERE user_id = ? ORDER BY created_at, rowid`,
  ),
  tokenUses: db.prepare<[user: string, limit: number], TokenUse>(
    `SELECT u.token_id, u.used_at, u.remote_addr, u.user_agent, u.path
     FROM cli_tokens t JOIN cli_token_uses u ON u.token_id = t.id
     WHERE t.user_id = ? ORDER BY u.used_at DESC, u.rowid DESC LIMIT ?`,
  ),
  tokenUseCount: db.prepare<[user: string], { count: number }>(
    'SELECT count(*) AS count FROM cli_tokens t JOIN cli_token_uses u ON u.token_id = t.id WHERE t.user_id = ?',
  ),
  linkedAccounts: db.prepare<[user: string], LinkedAccount>(
    `SELECT provider, provider_account_id, email, created_at, last_used_at FROM linked_accounts
     WHERE user_id = ? ORDER BY created_at, rowid`,
  ),
  /** Those that are still stored: few, since codes are forgotten soon after they ran out. */
  pairings: db.prepare<[user: string], Pairing>(
    `SELECT id, status, adapter_hint, created_at, expires_at, consumed_at
      FROM cli_pairings WHERE user_id = ? AND expires_at > '' ORDER BY created_at, rowid`,
  ),
  links: db.prepare<[user: string], Link>(
    'SELECT purpose, created_at, expires_at FROM verification_tokens WHERE user_id = ? ORDER BY created_at, rowid',
  ),
  invitationsTo: db.prepare<[email: string], Invitation>(
    `${invitations} WHERE i.email = ? ORDER BY i.created_at, i.rowid`,
  ),
  invitationsBy: db.prepare<[user: string], Invitation>(
    `${invitations} WHERE i.invited_by = ? ORDER BY i.created_at, i.rowid`,
  ),
  rooms: db.prepare<[user: string], OwnRoom>(
    `SELECT m.room_id, m.workspace_id, r.kind, r.title, m.role, m.joined_at, m.last_read_seq
     FROM room_members m JOIN rooms r ON r.id = m.room_id WHERE m.user_id = ? ORDER BY m.joined_at, m.room_id`,
  ),
  saidInRooms: db.prepare<[user: string, limit: number], Said>(
    `SELECT room_id, seq, content, created_at FROM room_messages WHERE author_type = 'user' AND author_id = ?
     ORDER BY created_at DESC, seq DESC LIMIT ?`,
  ),
  countInRooms: db.prepare<[user: string], { count: number }>(
    "SELECT count(*) AS count FROM room_messages WHERE author_type = 'user' AND author_id = ?",
  ),
  hours: db.prepare<[user: string], Hours>(
    `SELECT time_zone, quiet_from, quiet_until, digest_at, urgent_waits, updated_at
     FROM notification_hours WHERE user_id = ?`,
  ),
  peerCards: db.prepare<[user: string], PeerCard>(
    `SELECT p.workspace_id, p.agent_id, a.name AS agent_name, p.content, p.created_at, p.updated_at
      FROM peer_cards p JOIN agents a ON a.id = p.agent_id WHERE p.user_id = ? ORDER BY p.created_at, p.rowid`,
  ),
}))
