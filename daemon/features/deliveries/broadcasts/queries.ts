import { statements } from '#kernel/store/db'

export interface Ended {
  mode: string
  crew_id: string | null
  output_json: string | null
  triggered_via: string
}

export const queries = statements((db) => ({
  run: db.prepare<[id: string], Ended>(
    'SELECT mode, crew_id, output_json, triggered_via FROM routine_runs WHERE id = ?',
  ),
}))
