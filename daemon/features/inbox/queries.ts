import type { InboxKind } from '#contract/inbox'
import type { Role } from '#contract/roles'
import { statements } from '#kernel/store/db'

export interface Row {
  seq: number
  id: string
  workspace_id: string
  kind: InboxKind
  source_id: string
  audience: string
  title: string
  body_md: string | null
  priority: 'urgent' | 'high' | 'medium' | 'low'
  blocking: 0 | 1
  sender_type: string | null
  sender_id: string | null
  sender_name: string | null
  payload_json: string | null
  thread_key: string | null
  attention_class: string | null
  actions_json: string | null
  read_at: string | null
  resolved_at: string | null
  resolved_by_user_id: string | null
  resolved_action: string | null
  created_at: string
  updated_at: string
  /** How it is decided; null once nothing decides it any more. */
  decides_json: string | null
  run_id: string | null
}
const names = [
  'seq',
  'id',
  'workspace_id',
  'kind',
  'source_id',
  'audience',
  'title',
  'body_md',
  'priority',
  'blocking',
  'sender_type',
  'sender_id',
  'sender_name',
  'payload_json',
  'thread_key',
  'attention_class',
  'actions_json',
  'read_at',
  'resolved_at',
  'resolved_by_user_id',
  'resolved_action',
  'created_at',
  'updated_at',
  'decides_json',
  'run_id',
] as const
const columns = names.join(', ')
const joined = names.map((name) => `i.${name}`).join(', ')

/** A row as one user sees it. */
export type Seen = Row & { own_read_at: string | null; avatar_seed: string | null; avatar_style: string | null }

const seenColumns = `${joined}, r.read_at AS own_read_at, a.avatar_seed, a.avatar_style`
const seenJoins = `LEFT JOIN inbox_item_reads r ON r.item = i.seq AND r.user_id = @user
  LEFT JOIN agents a ON i.sender_type = 'agent' AND a.id = i.sender_id AND a.workspace_id = i.workspace_id`

export type NewItem = Omit<Row, 'seq' | 'read_at' | 'resolved_at' | 'resolved_by_user_id' | 'resolved_action'>

export interface Place {
  workspace: string
  user: string
  /** The audiences that the user belongs to, as a JSON list. */
  audiences: string
}

export const queries = statements((db) => ({
  insert: db.prepare<NewItem, { id: string }>(
    `INSERT INTO inbox_items (id, workspace_id, kind, source_id, audience, title, body_md, priority, blocking,
      sender_type, sender_id, sender_name,
       payload_json, thread_key, attention_class, actions_json, created_at, updated_at, decides_json, run_id)
     VALUES (@id, @workspace_id, @kind, @source_id, @audience, @title, @body_md, @priority, @blocking, @sender_type,
     @sender_id, @sender_name,
       @payload_json, @thread_key, @attention_class, @actions_json, @created_at, @updated_at, @decides_json, @run_id)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  /** The item anew: nobody has read or decided it. */
  refresh: db.prepare<NewItem, { seq: number }>(
    `UPDATE inbox_items SET audience = @audience, title = @title, body_md = @body_md, priority = @priority,
      blocking = @blocking,
       sender_type = @sender_type, sender_id = @sender_id, sender_name = @sender_name, payload_json = @payload_json,
       thread_key = @thread_key, attention_class = @attention_class, actions_json = @actions_json,
       decides_json = @decides_json, run_id = @run_id, created_at = @created_at, updated_at = @updated_at,
       read_at = NULL, read_by_user_id = NULL, resolved_at = NULL, resolved_by_user_id = NULL, resolved_action = NULL
     WHERE workspace_id = @workspace_id AND id = @id RETURNING seq`,
  ),
  forgetReads: db.prepare<[seq: number]>('DELETE FROM inbox_item_reads WHERE item = ?'),
  ofThread: db.prepare<[workspace: string, thread: string], { source_id: string }>(
    'SELECT source_id FROM inbox_items WHERE workspace_id = ? AND thread_key = ? AND resolved_at IS NULL LIMIT 1',
  ),
  find: db.prepare<Place & { id: string }, Seen>(
    `SELECT ${seenColumns} FROM inbox_items i ${seenJoins} WHERE i.id = @id AND i.workspace_id = @workspace
      AND i.audience IN (SELECT value FROM json_each(@audiences))`,
  ),
  byId: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM inbox_items WHERE workspace_id = ? AND id = ?`,
  ),
  resolve: db.prepare<{ seq: number; user: string | null; action: string | null; now: string }>(
    `UPDATE inbox_items SET resolved_at = @now, resolved_by_user_id = @user, resolved_action = @action,
      updated_at = @now WHERE seq = @seq`,
  ),
  read: db.prepare<{ seq: number; user: string; now: string }>(
    'INSERT INTO inbox_item_reads (item, user_id, read_at) VALUES (@seq, @user, @now) ON CONFLICT DO NOTHING',
  ),
  readFirst: db.prepare<{ seq: number; user: string; now: string }>(
    'UPDATE inbox_items SET read_at = @now, read_by_user_id = @user WHERE seq = @seq AND read_at IS NULL',
  ),
  unread: db.prepare<{ seq: number; user: string }>(
    'DELETE FROM inbox_item_reads WHERE item = @seq AND user_id = @user',
  ),
  reopen: db.prepare<{ seq: number; now: string }>(
    `UPDATE inbox_items SET read_at = NULL, read_by_user_id = NULL, resolved_at = NULL, resolved_by_user_id = NULL,
      resolved_action = NULL, updated_at = @now
     WHERE seq = @seq`,
  ),
  handOver: db.prepare<{ workspace: string; from: string; to: string; now: string }, { id: string }>(
    `UPDATE inbox_items SET audience = @to, payload_json = json_set(payload_json, '$.who_can_act', json_array(@to)),
      updated_at = @now
     WHERE workspace_id = @workspace AND audience = @from AND kind = 'run_needs_human' AND resolved_at IS NULL
       AND coalesce(thread_key, '') NOT GLOB 'room:*'
     RETURNING id`,
  ),
  giveTo: db.prepare<{ workspace: string; id: string; to: string; now: string }, { id: string }>(
    `UPDATE inbox_items SET audience = @to, payload_json = json_set(payload_json, '$.who_can_act', json_array(@to)),
      updated_at = @now
     WHERE workspace_id = @workspace AND id = @id AND audience <> @to AND resolved_at IS NULL RETURNING id`,
  ),
  patchPayload: db.prepare<[payload: string, seq: number]>('UPDATE inbox_items SET payload_json = ? WHERE seq = ?'),
  counts: db.prepare<Place, { kind: InboxKind; blocking: 0 | 1; active: number }>(
    `SELECT kind, blocking, sum(active) AS active FROM inbox_counts
     WHERE workspace_id = @workspace AND audience IN (SELECT value FROM json_each(@audiences)) AND @user IS NOT NULL
     GROUP BY kind, blocking HAVING sum(active) > 0`,
  ),
  readCount: db.prepare<Place, { active: number }>(
    `SELECT coalesce(sum(active), 0) AS active FROM inbox_read_counts
     WHERE user_id = @user AND workspace_id = @workspace AND audience IN (SELECT value FROM json_each(@audiences))`,
  ),
  purge: db.prepare<{ workspace: string; kind: string | null }>(
    'DELETE FROM inbox_items WHERE workspace_id = @workspace AND (@kind IS NULL OR kind = @kind)',
  ),
  /** Nothing decides it any more. */
  release: db.prepare<[workspace: string, id: string]>(
    'UPDATE inbox_items SET decides_json = NULL WHERE workspace_id = ? AND id = ?',
  ),
}))

const wheres = {
  all: '',
  active: 'AND i.resolved_at IS NULL',
  resolved: 'AND i.resolved_at IS NOT NULL',
  unread: 'AND i.resolved_at IS NULL AND r.item IS NULL',
  read: 'AND i.resolved_at IS NULL AND r.item IS NOT NULL',
}
export type Listed = keyof typeof wheres

interface Window extends Place {
  kind: string | null
  limit: number
  offset: number
}

const indexes = {
  all: 'inbox_items_newest',
  resolved: 'inbox_items_newest',
  active: 'inbox_items_active',
  unread: 'inbox_items_active',
  read: 'inbox_items_active',
}
const kindIndexes = {
  ...indexes,
  all: 'inbox_items_kind',
  resolved: 'inbox_items_kind',
  active: 'inbox_items_active_kind',
  unread: 'inbox_items_active_kind',
  read: 'inbox_items_active_kind',
}

/**
 * Each audience gives its items in the order of its index, and SQLite merges them as far as the page goes: what is not
 * on it is not read. Only the keys are merged; the rows of the page are fetched by them.
 */
function listing(state: Listed, audiences: number, byKind: boolean): string {
  const reads =
    state === 'unread' || state === 'read' ? 'LEFT JOIN inbox_item_reads r ON r.item = i.seq AND r.user_id = @user' : ''
  const part = (n: number) =>
    `SELECT i.created_at AS at, i.id AS id, i.seq AS seq FROM inbox_items i INDEXED BY
      ${(byKind ? kindIndexes : indexes)[state]} ${reads}
       WHERE i.workspace_id = @workspace AND i.audience = json_extract(@audiences,
       '$[${n}]') ${byKind ? 'AND i.kind = @kind' : ''} ${wheres[state]}`
  const parts = Array.from({ length: audiences }, (_, n) => part(n))
  const page = `${parts.join(' UNION ALL ')} ORDER BY at DESC, id DESC LIMIT @limit OFFSET @offset`
  return `SELECT ${seenColumns} FROM (${page}) p CROSS JOIN inbox_items i ON i.seq = p.seq ${seenJoins}
    ORDER BY p.at DESC, p.id DESC`
}

/** Name of the statement for a list. */
export const listingOf = (state: Listed, audiences: number, byKind: boolean): string =>
  `${state}${audiences}${byKind ? 'OfKind' : ''}`

const windows = (Object.keys(wheres) as Listed[]).flatMap((state) =>
  [3, 4, 5, 6, 7].flatMap((audiences) =>
    [false, true].map((byKind) => ({ name: listingOf(state, audiences, byKind), state, audiences, byKind })),
  ),
)

/** Lists for VIEWER (3 audiences) to OWNER (7). */
export const listings = statements(
  (db): Record<string, ReturnType<typeof db.prepare<Window, Seen>>> =>
    Object.fromEntries(
      windows.map(({ name, state, audiences, byKind }) => [
        name,
        db.prepare<Window, Seen>(listing(state, audiences, byKind)),
      ]),
    ),
)

/** Statements that read a whole table, and why they may. */
export const scans: Record<string, string> = Object.fromEntries(
  windows.map(({ name }) => [name, 'the windows of the audiences, put together']),
)

export const audiencesOf = (user: string, roles: readonly Role[]): string =>
  JSON.stringify(['all', `user:${user}`, ...roles.map((role) => `role:${role}`)])
