import type { deliveryStatuses } from '#contract/deliveries'
import { statements } from '#kernel/store/db'

export type Status = (typeof deliveryStatuses)[number]

export interface Row {
  id: string
  workspace_id: string
  channel_id: string
  /** Null: nobody in particular. */
  user_id: string | null
  event_id: string
  category: string
  dedup_key: string
  source_kind: string
  source_id: string
  title: string
  /** Null once nothing is to be sent any more. */
  message_json: string | null
  status: Status
  error: string | null
  attempts: number
  /** Milliseconds since 1970; null when there is no attempt to come. */
  next_at: number | null
  created_at: string
  updated_at: string
  sent_at: string | null
  /** The delivery that tells of this one together with others. */
  digest_id: string | null
}

export interface EventRow {
  id: string
  workspace_id: string
  category: string
  priority: string
  source_kind: string
  source_id: string
  title: string
  /** Null: all members. */
  audience_json: string | null
  created_at: string
}

const columns = `id, workspace_id, channel_id, user_id, event_id, category, dedup_key, source_kind, source_id, title,
  message_json, status, error, attempts, next_at, created_at, updated_at, sent_at, digest_id`
const eventColumns = 'id, workspace_id, category, priority, source_kind, source_id, title, audience_json, created_at'

/** Whether a message would overtake an earlier one about the same, which is still to be sent. */
const overtakes = `EXISTS (SELECT 1 FROM notification_deliveries e WHERE e.channel_id = d.channel_id
  AND e.source_id = d.source_id AND e.user_id IS d.user_id AND e.seq < d.seq AND e.next_at IS NOT NULL)`

const log = `SELECT ${columns} FROM notification_deliveries
  WHERE workspace_id = @workspace AND source_kind <> 'broadcast'`
const newest = 'ORDER BY seq DESC LIMIT @limit'

interface Filter {
  workspace: string
  status: string | null
  channel: string | null
  category: string | null
  limit: number
}

/** One person, channel and category. */
interface Flow {
  channel: string
  user: string | null
  category: string
}

export const queries = statements((db) => ({
  list: db.prepare<Filter, Row>(`${log} ${newest}`),
  withStatus: db.prepare<Filter, Row>(`${log} AND status = @status ${newest}`),
  ofCategory: db.prepare<Filter, Row>(
    `${log} AND category = @category AND (@status IS NULL OR status = @status) ${newest}`,
  ),
  ofChannel: db.prepare<Filter, Row>(
    `${log} AND channel_id = @channel AND (@status IS NULL OR status = @status)
      AND (@category IS NULL OR category = @category) ${newest}`,
  ),
  insert: db.prepare<[Row], { id: string }>(
    `INSERT INTO notification_deliveries (${columns}) VALUES (@id, @workspace_id, @channel_id, @user_id, @event_id,
      @category, @dedup_key, @source_kind, @source_id, @title, @message_json, @status, @error, @attempts, @next_at,
      @created_at, @updated_at, @sent_at, @digest_id)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  /** How many messages a flow had since then. */
  recent: db
    .prepare<Flow & { since: string }, number>(
      `SELECT count(*) FROM notification_deliveries WHERE channel_id = @channel AND user_id = @user
        AND category = @category AND created_at > @since AND status IN ('pending', 'sent', 'failed')`,
    )
    .pluck(),
  /** Whether a summary of what was held waits to be sent. */
  summary: db.prepare<Flow, { id: string }>(
    `SELECT id FROM notification_deliveries WHERE channel_id = @channel AND user_id = @user AND category = @category
      AND source_kind = 'summary' AND next_at IS NOT NULL LIMIT 1`,
  ),
  /** A digest that more can be put into. */
  openDigest: db.prepare<{ channel: string; user: string; now: number }, { id: string; next_at: number | null }>(
    `SELECT id, next_at FROM notification_deliveries WHERE channel_id = @channel AND user_id = @user
      AND source_kind = 'digest' AND next_at > @now AND attempts = 0 LIMIT 1`,
  ),
  inDigest: db.prepare<[digest: string], Row>(
    `SELECT ${columns} FROM notification_deliveries WHERE digest_id = ? AND status = 'pending' ORDER BY seq`,
  ),
  held: db
    .prepare<Flow & { since: string }, number>(
      `SELECT count(*) FROM notification_deliveries WHERE channel_id = @channel AND user_id = @user
        AND category = @category AND created_at >= @since AND status = 'dropped_rate'`,
    )
    .pluck(),
  next: db.prepare<[], Pick<Row, 'next_at'>>(
    `SELECT d.next_at FROM notification_deliveries d WHERE d.next_at IS NOT NULL AND NOT ${overtakes}
     ORDER BY d.next_at LIMIT 1`,
  ),
  dueChannels: db.prepare<[now: number], { channel_id: string }>(
    `SELECT DISTINCT d.channel_id FROM notification_deliveries d
     WHERE d.next_at IS NOT NULL AND d.next_at <= ? AND NOT ${overtakes}`,
  ),
  firstDue: db.prepare<{ channel: string; now: number }, Row>(
    `SELECT ${columns} FROM notification_deliveries d
     WHERE d.channel_id = @channel AND d.next_at IS NOT NULL AND d.next_at <= @now AND NOT ${overtakes}
     ORDER BY d.seq LIMIT 1`,
  ),
  settle: db.prepare<[Pick<Row, 'id' | 'status' | 'error' | 'attempts' | 'next_at' | 'updated_at' | 'sent_at'>]>(
    `UPDATE notification_deliveries SET status = @status, error = @error, attempts = @attempts, next_at = @next_at,
      updated_at = @updated_at, sent_at = @sent_at,
      message_json = CASE WHEN @next_at IS NULL THEN NULL ELSE message_json END WHERE id = @id`,
  ),
  drop: db.prepare<[id: string]>('DELETE FROM notification_deliveries WHERE id = ?'),
  addEvent: db.prepare<[EventRow]>(
    `INSERT INTO notification_events (${eventColumns}) VALUES (@id, @workspace_id, @category, @priority, @source_kind,
      @source_id, @title, @audience_json, @created_at) ON CONFLICT DO NOTHING`,
  ),
  event: db.prepare<[workspace: string, id: string], EventRow>(
    `SELECT ${eventColumns} FROM notification_events WHERE workspace_id = ? AND id = ?`,
  ),
  eventAbout: db.prepare<[workspace: string, source: string], EventRow>(
    `SELECT ${eventColumns} FROM notification_events WHERE workspace_id = ? AND source_id = ?
     ORDER BY created_at DESC LIMIT 1`,
  ),
  find: db.prepare<[workspace: string, id: string], Row>(
    `SELECT ${columns} FROM notification_deliveries WHERE workspace_id = ? AND id = ?`,
  ),
  ofEvent: db.prepare<[event: string, user: string], Row>(
    `SELECT ${columns} FROM notification_deliveries WHERE event_id = ? AND user_id = ? ORDER BY seq`,
  ),
  eventOfNotification: db.prepare<[workspace: string, user: string, id: string], { event_id: string | null }>(
    'SELECT event_id FROM notifications WHERE workspace_id = ? AND user_id = ? AND id = ?',
  ),
  forget: db.prepare<[before: string, most: number]>(
    `DELETE FROM notification_deliveries WHERE seq IN (SELECT seq FROM notification_deliveries
      WHERE created_at < ? AND next_at IS NULL ORDER BY created_at LIMIT ?)`,
  ),
  forgetEvents: db.prepare<[before: string, most: number]>(
    `DELETE FROM notification_events WHERE id IN
      (SELECT id FROM notification_events WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
  ),
}))
