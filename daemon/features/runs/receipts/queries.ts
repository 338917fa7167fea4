import { statements } from '#kernel/store/db'

export interface Program {
  run_id: string
  attempt: number
  started_at: number
  adapter: string
  provider: string | null
  model: string | null
  prompt_hash: string
  instructions_hash: string
  image: string | null
  image_id: string | null
}

export interface Place {
  seq: number
  id: string
  entry_hash: Buffer
}

export interface Decided {
  id: string
  kind: string
  asked: string
  state: string
  outcome: string | null
  created_at: string
  settled_at: string | null
  settled_by: string | null
  settled_name: string | null
}

export interface PublicKey {
  keyid: string
  public_key: string
  added_at: string
}

/** More than any run should have asked people. */
const mostDecisions = 500

export const queries = statements((db) => ({
  addProgram: db.prepare<[Omit<Program, 'image' | 'image_id'>]>(
    `INSERT INTO run_programs (run_id, attempt, started_at, adapter, provider, model, prompt_hash, instructions_hash)
     VALUES (@run_id, @attempt, @started_at, @adapter, @provider, @model, @prompt_hash, @instructions_hash)
     ON CONFLICT DO UPDATE SET adapter = excluded.adapter, provider = excluded.provider, model = excluded.model,
       prompt_hash = excluded.prompt_hash, instructions_hash = excluded.instructions_hash`,
  ),
  setImage: db.prepare<{ run: string; attempt: number; name: string; id: string }>(
    'UPDATE run_programs SET image = @name, image_id = @id WHERE run_id = @run AND attempt = @attempt',
  ),
  programs: db.prepare<[run: string], Program>(
    `SELECT run_id, attempt, started_at, adapter, provider, model, prompt_hash, instructions_hash, image, image_id
     FROM run_programs WHERE run_id = ? ORDER BY attempt`,
  ),
  addRemains: db.prepare<{ run: string; said: string; files: string }>(
    'INSERT INTO run_remains (run_id, said_json, files_json) VALUES (@run, @said, @files) ON CONFLICT DO NOTHING',
  ),
  remains: db.prepare<[run: string], { said_json: string; files_json: string }>(
    'SELECT said_json, files_json FROM run_remains WHERE run_id = ?',
  ),
  addKey: db.prepare<[PublicKey]>(
    `INSERT INTO receipt_keys (keyid, public_key, added_at) VALUES (@keyid, @public_key, @added_at)
     ON CONFLICT DO NOTHING`,
  ),
  keys: db.prepare<[], PublicKey>('SELECT keyid, public_key, added_at FROM receipt_keys ORDER BY added_at, keyid'),
  /** What people were asked in a run, and whether it was to be begun at all. */
  decisions: db.prepare<{ workspace: string; run: string }, Decided>(
    `SELECT d.id, d.kind, d.asked, d.state, d.outcome, d.created_at, d.settled_at, d.settled_by_user_id AS settled_by,
       u.full_name AS settled_name
     FROM decisions d LEFT JOIN users u ON u.id = d.settled_by_user_id
     WHERE d.workspace_id = @workspace AND d.id IN (
       SELECT id FROM decisions WHERE run_id = @run
       UNION SELECT a.approval_id FROM runs r JOIN assignments a ON a.id = r.source_id
         WHERE r.id = @run AND r.source = 'assignment' AND a.approval_id IS NOT NULL)
     ORDER BY d.created_at, d.id LIMIT ${mostDecisions}`,
  ),
  entry: db.prepare<[seq: number], Place>('SELECT seq, id, entry_hash FROM journal WHERE seq = ?'),
  entryOf: db.prepare<[trace: number, type: number], Place>(
    'SELECT seq, id, entry_hash FROM journal WHERE trace = ? AND +type = ? ORDER BY seq LIMIT 1',
  ),
  user: db.prepare<[id: string], { name: string | null }>('SELECT full_name AS name FROM users WHERE id = ?'),
  crew: db.prepare<[id: string], { slug: string }>('SELECT slug FROM crews WHERE id = ?'),
}))

/** Statements that scan a table, with the reason. */
export const scans = { keys: 'one row for each key that the server ever had' }
