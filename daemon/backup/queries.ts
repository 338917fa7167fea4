import { statements } from '#kernel/store/db'

export interface CrewRow {
  id: string
  slug: string
  name: string
  workspace_id: string
  agent_count: number
}

/** Rows of the tables that people care for, so that two databases can be compared. */
export type Counts = Record<
  | 'users'
  | 'workspaces'
  | 'crews'
  | 'agents'
  | 'credentials'
  | 'chats'
  | 'messages'
  | 'runs'
  | 'issues'
  | 'routines'
  | 'attachments'
  | 'journal_entries',
  number
>

export const queries = statements((db) => ({
  counts: db.prepare<[], Counts>(
    `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM workspaces) AS workspaces,
       (SELECT count(*) FROM crews) AS crews, (SELECT count(*) FROM agents) AS agents,
       (SELECT count(*) FROM credentials) AS credentials, (SELECT count(*) FROM chats) AS chats,
       (SELECT count(*) FROM chat_messages) AS messages, (SELECT count(*) FROM runs) AS runs,
       (SELECT count(*) FROM missions) AS issues, (SELECT count(*) FROM routines) AS routines,
       (SELECT count(*) FROM attachments) AS attachments,
       (SELECT count(*) FROM journal) + (SELECT count(*) FROM journal_husks) AS journal_entries`,
  ),
  workspaces: db.prepare<[], { id: string; slug: string; name: string }>(
    'SELECT id, slug, name FROM workspaces WHERE deleted_at IS NULL ORDER BY created_at, id',
  ),
  crews: db.prepare<[], CrewRow>(
    `SELECT id, slug, name, workspace_id,
       (SELECT count(*) FROM agents a WHERE a.crew_id = c.id AND a.deleted_at IS NULL) AS agent_count
     FROM crews c WHERE deleted_at IS NULL ORDER BY created_at, id`,
  ),
  schema: db.prepare<[], string>('SELECT max(name) FROM migrations').pluck(),
  files: db.prepare<[], { storage_key: string; size_bytes: number }>(
    "SELECT storage_key, size_bytes FROM attachments WHERE state <> 'gone' ORDER BY id",
  ),
  fileBytes: db
    .prepare<[], number>("SELECT coalesce(sum(size_bytes), 0) FROM attachments WHERE state <> 'gone'")
    .pluck(),
}))

const once = 'read once for each backup, on a copy of the database'

/** Statements that read a whole table, and why they may. */
export const scans = {
  counts: once,
  workspaces: once,
  crews: once,
  schema: once,
  files: once,
  fileBytes: once,
}
