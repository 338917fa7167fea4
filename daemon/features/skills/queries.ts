import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string | null
  slug: string
  content: string
  name: string
  display_name: string
  description: string | null
  version: string
  author: string | null
  category: string
  source: string
  icon: string | null
  tags: string | null
  vendor: string | null
  homepage: string | null
  license: string | null
  spdx_license: string | null
  runtime: string
  maturity: string
  place: number
  credential_requirements: string | null
  scan_status: string
  scan_reason: string | null
  description_quality: string | null
  words: string
  bytes: number
  created_at: string
  updated_at: string
}

export type Listed = Omit<Row, 'content' | 'place' | 'words' | 'license' | 'credential_requirements'>

export interface FileRow {
  skill_id: string
  path: string
  executable: number
  sha256: string
  content: Buffer
}

const listed =
  'id, workspace_id, slug, name, display_name, description, version, author, category, source, icon, tags, vendor, ' +
  'homepage, spdx_license, runtime, maturity, scan_status, scan_reason, description_quality, bytes, created_at, ' +
  'updated_at'
const columns = `${listed}, content, license, place, credential_requirements, words`

export interface Filter {
  category: string | null
  source: string | null
  search: string | null
  vendor: string | null
  maturity: string | null
  runtime: string | null
  /** The workspace whose agents, and the agent that must have it. */
  workspace: string | null
  agent: string | null
}

export const queries = statements((db) => ({
  list: db.prepare<[Filter & { limit: number; offset: number }], Listed>(
    `SELECT ${listed} FROM skills WHERE place >= 0
      AND (@category IS NULL OR category = @category) AND (@source IS NULL OR source = @source)
      AND (@vendor IS NULL OR vendor = @vendor COLLATE NOCASE) AND (@maturity IS NULL OR maturity = @maturity)
      AND (@runtime IS NULL OR runtime = @runtime)
      AND (@workspace IS NULL OR EXISTS (SELECT 1 FROM agent_skills g JOIN agents a ON a.id = g.agent_id
       WHERE g.skill_id = skills.id AND a.workspace_id = @workspace AND a.deleted_at IS NULL
        AND (@agent IS NULL OR a.id = @agent)))
      AND (@search IS NULL OR instr(words, @search) > 0)
     ORDER BY place, name, id LIMIT @limit OFFSET @offset`,
  ),
  byId: db.prepare<[id: string], Row>(`SELECT ${columns} FROM skills WHERE id = ?`),
  bySlug: db.prepare<[slug: string], Row>(`SELECT ${columns} FROM skills WHERE slug = ?`),
  count: db.prepare<[], number>('SELECT count(*) FROM skills WHERE place >= 0').pluck(),
  put: db.prepare<[Row]>(
    `INSERT INTO skills (${columns}) VALUES (@id, @workspace_id, @slug, @name, @display_name, @description, @version,
      @author, @category, @source, @icon, @tags, @vendor, @homepage, @spdx_license, @runtime, @maturity, @scan_status,
      @scan_reason, @description_quality, @bytes, @created_at, @updated_at, @content, @license, @place,
      @credential_requirements, @words)
     ON CONFLICT (id) DO UPDATE SET workspace_id = excluded.workspace_id, content = excluded.content,
      name = excluded.name, display_name = excluded.display_name, description = excluded.description,
      version = excluded.version, author = excluded.author, category = excluded.category, source = excluded.source,
      icon = excluded.icon, tags = excluded.tags, vendor = excluded.vendor, homepage = excluded.homepage,
      license = excluded.license, spdx_license = excluded.spdx_license, runtime = excluded.runtime,
      maturity = excluded.maturity, place = excluded.place, scan_status = excluded.scan_status,
      credential_requirements = excluded.credential_requirements, scan_reason = excluded.scan_reason,
      description_quality = excluded.description_quality, words = excluded.words, bytes = excluded.bytes,
      updated_at = excluded.updated_at`,
  ),
  remove: db.prepare<[id: string]>('DELETE FROM skills WHERE id = ?'),
  disown: db.prepare<[workspace: string]>('UPDATE skills SET workspace_id = NULL WHERE workspace_id = ?'),
  files: db.prepare<[skill: string], FileRow>(
    'SELECT skill_id, path, executable, sha256, content FROM skill_files WHERE skill_id = ? ORDER BY path',
  ),
  addFile: db.prepare<[FileRow]>(
    `INSERT INTO skill_files (skill_id, path, executable, sha256, content)
     VALUES (@skill_id, @path, @executable, @sha256, @content)`,
  ),
  dropFiles: db.prepare<[skill: string]>('DELETE FROM skill_files WHERE skill_id = ?'),
}))
