import { statements } from '#kernel/store/db'

export const queries = statements((db) => ({
  agents: db
    .prepare<[workspace: string], string>(
      'SELECT id FROM agents WHERE workspace_id = ? AND deleted_at IS NULL AND expired_at IS NULL LIMIT 500',
    )
    .pluck(),
  agentsOfCrew: db
    .prepare<[crew: string], string>(
      'SELECT id FROM agents WHERE crew_id = ? AND deleted_at IS NULL AND expired_at IS NULL LIMIT 500',
    )
    .pluck(),
  crews: db
    .prepare<[workspace: string], string>(
      'SELECT id FROM crews WHERE workspace_id = ? AND deleted_at IS NULL LIMIT 500',
    )
    .pluck(),
}))
