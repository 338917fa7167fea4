import { statements } from '#kernel/store/db'

export interface SlotRow {
  slot: string
  provider: string | null
  model: string | null
  timeout_ms: number | null
  credential_id: string | null
  /** The workspace of the credential. */
  workspace_id: string | null
  updated_by: string
  updated_at: string
}

export const queries = statements((db) => ({
  all: db.prepare<[], SlotRow>(
    `SELECT slot, provider, model, timeout_ms, credential_id, workspace_id, updated_by, updated_at
     FROM keeper_aux_settings`,
  ),
  store: db.prepare<SlotRow>(
    `INSERT INTO keeper_aux_settings
       (slot, provider, model, timeout_ms, credential_id, workspace_id, updated_by, updated_at)
     VALUES (@slot, @provider, @model, @timeout_ms, @credential_id, @workspace_id, @updated_by, @updated_at)
     ON CONFLICT (slot) DO UPDATE SET provider = excluded.provider, model = excluded.model,
       timeout_ms = excluded.timeout_ms, credential_id = excluded.credential_id,
       workspace_id = excluded.workspace_id, updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
  ),
  reset: db.prepare<[slot: string]>('DELETE FROM keeper_aux_settings WHERE slot = ?'),
  resetAll: db.prepare<[]>('DELETE FROM keeper_aux_settings'),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { all: 'has a row for each slot at most' }
