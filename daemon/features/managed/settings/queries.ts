import { statements } from '#kernel/store/db'

export interface SettingsRow {
  workspace_id: string
  key_sealed: string
  label: string | null
  updated_at: string
}

export const queries = statements((db) => ({
  find: db.prepare<[workspace: string], SettingsRow>(
    'SELECT workspace_id, key_sealed, label, updated_at FROM managed_settings WHERE workspace_id = ?',
  ),
  put: db.prepare<[SettingsRow]>(
    `INSERT INTO managed_settings (workspace_id, key_sealed, label, updated_at)
     VALUES (@workspace_id, @key_sealed, @label, @updated_at)
     ON CONFLICT (workspace_id) DO UPDATE SET key_sealed = excluded.key_sealed, label = excluded.label,
      updated_at = excluded.updated_at`,
  ),
  remove: db.prepare<[workspace: string]>('DELETE FROM managed_settings WHERE workspace_id = ?'),
}))
