import type { TripPlace, TripwireKind, TripwireShape } from '#contract/tripwires'
import { statements } from '#kernel/store/db'

export interface Row {
  id: string
  workspace_id: string
  crew_id: string
  kind: TripwireKind
  name: string
  shape: TripwireShape
  encrypted_value: string | null
  content_hash: string | null
  state: 'armed' | 'tripped'
  created_by_user_id: string | null
  created_at: string
}

export type Listed = Row & { open_trips: number }

export interface TripRow {
  id: string
  tripwire_id: string
  workspace_id: string
  agent_id: string | null
  run_id: string | null
  place: TripPlace
  detail: string
  evidence_json: string
  created_at: string
  settled_at: string | null
  settled_by_user_id: string | null
  false_alarm: number | null
}

type NewTrip = Omit<TripRow, 'settled_at' | 'settled_by_user_id' | 'false_alarm'>

const select = `SELECT t.id, t.workspace_id, t.crew_id, t.kind, t.name, t.shape, t.encrypted_value, t.content_hash,
    t.state, t.created_by_user_id, t.created_at,
    (SELECT count(*) FROM tripwire_trips x WHERE x.tripwire_id = t.id AND x.settled_at IS NULL) AS open_trips
  FROM tripwires t`

export const queries = statements((db) => ({
  /** No row when another decoy of the crew has that name. */
  insert: db.prepare<Row, { id: string }>(
    `INSERT INTO tripwires (id, workspace_id, crew_id, kind, name, shape, encrypted_value, content_hash, state,
      created_by_user_id, created_at)
     VALUES (@id, @workspace_id, @crew_id, @kind, @name, @shape, @encrypted_value, @content_hash, @state,
      @created_by_user_id, @created_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  ofCrew: db.prepare<[crew: string], Listed>(
    `${select} WHERE t.crew_id = ? AND t.removed_at IS NULL ORDER BY t.seq DESC`,
  ),
  find: db.prepare<[crew: string, id: string], Listed>(
    `${select} WHERE t.crew_id = ? AND t.id = ? AND t.removed_at IS NULL`,
  ),
  /** Files that removed tripwires may have left. */
  gone: db.prepare<[crew: string], Pick<Row, 'name' | 'content_hash'>>(
    `SELECT name, content_hash FROM tripwires
     WHERE crew_id = ? AND removed_at IS NOT NULL AND content_hash IS NOT NULL ORDER BY seq DESC LIMIT 100`,
  ),
  remove: db.prepare<{ id: string; now: string }, { id: string }>(
    `UPDATE tripwires SET removed_at = @now, encrypted_value = NULL WHERE id = @id AND removed_at IS NULL RETURNING id`,
  ),
  tripped: db.prepare<[id: string]>("UPDATE tripwires SET state = 'tripped' WHERE id = ?"),
  rearm: db.prepare<{ id: string; encrypted_value: string; content_hash: string | null }>(
    `UPDATE tripwires SET state = 'armed', encrypted_value = @encrypted_value, content_hash = @content_hash
     WHERE id = @id`,
  ),
  /** Remembers what a decoy file held before, so that it is taken away. */
  keepFormer: db.prepare<{ id: string; former: string; now: string }>(
    `INSERT INTO tripwires (id, workspace_id, crew_id, kind, name, shape, content_hash, state, created_at, removed_at)
     SELECT @former, workspace_id, crew_id, kind, name, shape, content_hash, 'armed', created_at, @now
     FROM tripwires WHERE id = @id AND content_hash IS NOT NULL`,
  ),
  /** No row when this run has tripped it already. */
  trip: db.prepare<NewTrip, { id: string }>(
    `INSERT INTO tripwire_trips (id, tripwire_id, workspace_id, agent_id, run_id, place, detail, evidence_json,
      created_at)
     VALUES (@id, @tripwire_id, @workspace_id, @agent_id, @run_id, @place, @detail, @evidence_json, @created_at)
     ON CONFLICT DO NOTHING RETURNING id`,
  ),
  trips: db.prepare<[tripwire: string], TripRow>(
    `SELECT id, tripwire_id, workspace_id, agent_id, run_id, place, detail, evidence_json, created_at, settled_at,
      settled_by_user_id, false_alarm FROM tripwire_trips WHERE tripwire_id = ? ORDER BY seq DESC LIMIT 50`,
  ),
  settle: db.prepare<{ tripwire: string; user: string; false_alarm: number; now: string }, { id: string }>(
    `UPDATE tripwire_trips SET settled_at = @now, settled_by_user_id = @user, false_alarm = @false_alarm
     WHERE tripwire_id = @tripwire AND settled_at IS NULL RETURNING id`,
  ),
}))
