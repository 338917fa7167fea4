import { statements } from '#kernel/store/db'

export interface Proposed {
  id: string
  workspace_id: string
  crew_id: string
  file_name: string
  slug: string
  pattern: string
  /** Null once people have decided. */
  content: string | null
  scan_status: string
  scan_reason: string | null
  /** The agent that wrote it, and why; null for what was made of a rule. */
  agent_id: string | null
  reason: string | null
  created_at: string
}

const columns =
  `id, workspace_id, crew_id, file_name, slug, pattern, content, scan_status, scan_reason, agent_id, reason,
  created_at` as const

export const queries = statements((db) => ({
  /** Nothing where the rule was proposed before. */
  stage: db.prepare<[Proposed]>(
    `INSERT INTO proposed_skills (${columns}) VALUES (@id, @workspace_id, @crew_id, @file_name, @slug, @pattern,
      @content, @scan_status, @scan_reason, @agent_id, @reason, @created_at) ON CONFLICT DO NOTHING`,
  ),
  byId: db.prepare<[id: string], Proposed>(`SELECT ${columns} FROM proposed_skills WHERE id = ?`),
  list: db.prepare<[crew: string], Proposed>(
    `SELECT ${columns} FROM proposed_skills WHERE crew_id = ? AND content IS NOT NULL ORDER BY file_name`,
  ),
  find: db.prepare<[crew: string, file: string], Proposed>(
    `SELECT ${columns} FROM proposed_skills WHERE crew_id = ? AND file_name = ? AND content IS NOT NULL`,
  ),
  isKnown: db
    .prepare<[crew: string, pattern: string], number>(
      'SELECT EXISTS (SELECT 1 FROM proposed_skills WHERE crew_id = ? AND pattern = ?)',
    )
    .pluck(),
  waiting: db
    .prepare<[crew: string], number>('SELECT count(*) FROM proposed_skills WHERE crew_id = ? AND content IS NOT NULL')
    .pluck(),
  /** Whether a slug is that of a skill, or will be, or was that of a proposal of this crew. */
  isTaken: db
    .prepare<[{ slug: string; crew: string; file: string }], number>(
      `SELECT EXISTS (SELECT 1 FROM skills WHERE slug = @slug)
        OR EXISTS (SELECT 1 FROM proposed_skills WHERE slug = @slug AND content IS NOT NULL)
        OR EXISTS (SELECT 1 FROM proposed_skills WHERE crew_id = @crew AND file_name = @file)`,
    )
    .pluck(),
  end: db.prepare<[id: string]>('UPDATE proposed_skills SET content = NULL WHERE id = ?'),
}))
