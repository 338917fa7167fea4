import type { channelTypes, NotificationPriority } from '#contract/channels'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  /** Null: a channel of the workspace. */
  owner_user_id: string | null
  /** What a channel of the workspace is called by in files. */
  slug: string | null
  type: (typeof channelTypes)[number]
  provider: string | null
  url: string | null
  address: string | null
  /** What signs a webhook, or the service URL of a provider. */
  secret_enc: string | null
  events_json: string
  categories_json: string
  min_priority: NotificationPriority
  enabled: number
  created_by: string | null
  created_at: string
  updated_at: string
}

const columns =
  'id, workspace_id, owner_user_id, slug, type, provider, url, address, secret_enc, events_json, categories_json, ' +
  'min_priority, enabled, created_by, created_at, updated_at'
const live = 'FROM notification_channels WHERE deleted_at IS NULL'
const newest = 'ORDER BY created_at DESC, rowid DESC'

export const queries = statements((db) => ({
  all: db.prepare<[workspace: string], Row>(`SELECT ${columns} ${live} AND workspace_id = ? ${newest}`),
  seenBy: db.prepare<{ workspace: string; user: string }, Row>(
    `SELECT ${columns} ${live} AND workspace_id = @workspace AND (owner_user_id IS NULL OR owner_user_id = @user)
      ${newest}`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(`SELECT ${columns} ${live} AND workspace_id = ? AND id = ?`),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} ${live} AND id = ?`),
  /** Of the workspace, and not paused. */
  working: db.prepare<[workspace: string], Row>(
    `SELECT ${columns} ${live} AND workspace_id = ? AND owner_user_id IS NULL AND enabled = 1
      ORDER BY created_at, rowid`,
  ),
  count: db.prepare<[workspace: string], number>(`SELECT count(*) ${live} AND workspace_id = ?`).pluck(),
  countOf: db
    .prepare<[workspace: string, owner: string], number>(
      `SELECT count(*) ${live} AND workspace_id = ? AND owner_user_id = ?`,
    )
    .pluck(),
  insert: db.prepare<[Row], { id: string }>(
    `INSERT INTO notification_channels (${columns}) VALUES (@id, @workspace_id, @owner_user_id, @slug, @type, @provider,
      @url, @address, @secret_enc, @events_json, @categories_json, @min_priority, @enabled, @created_by, @created_at,
      @updated_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  slugs: db
    .prepare<[workspace: string], string>(`SELECT slug ${live} AND workspace_id = ? AND owner_user_id IS NULL`)
    .pluck(),
  update: db.prepare<[Row]>(
    `UPDATE notification_channels SET events_json = @events_json, categories_json = @categories_json,
      min_priority = @min_priority, enabled = @enabled, updated_at = @updated_at WHERE id = @id`,
  ),
  remove: db.prepare<[now: string, id: string]>(
    'UPDATE notification_channels SET deleted_at = ?, secret_enc = NULL WHERE id = ?',
  ),
  removeAll: db.prepare<[now: string, workspace: string]>(
    `UPDATE notification_channels SET deleted_at = ?, secret_enc = NULL
      WHERE workspace_id = ? AND deleted_at IS NULL`,
  ),
  removeOf: db.prepare<[now: string, workspace: string, owner: string]>(
    `UPDATE notification_channels SET deleted_at = ?, secret_enc = NULL
      WHERE workspace_id = ? AND owner_user_id = ? AND deleted_at IS NULL`,
  ),
  switched: db.prepare<[provider: string], { enabled: number }>(
    'SELECT enabled FROM notification_providers WHERE provider = ?',
  ),
  setProvider: db.prepare<[provider: string, enabled: number]>(
    `INSERT INTO notification_providers (provider, enabled) VALUES (?, ?)
      ON CONFLICT (provider) DO UPDATE SET enabled = excluded.enabled`,
  ),
}))
