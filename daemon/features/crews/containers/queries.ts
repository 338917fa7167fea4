import { statements } from '#kernel/store/db'

export type Desired = 'running' | 'stopped' | 'removed'
export type Observed = 'none' | 'creating' | 'running' | 'stopped' | 'error'

export interface ContainerRow {
  crew_id: string
  desired: Desired
  desired_at: string
  used_at: string | null
  observed: Observed
  observed_at: string | null
  container_id: string | null
  contract: string | null
  started_at: string | null
  error: string | null
}

/** A container with what its crew is made of; the crew may be deleted. */
export interface OwnedRow extends ContainerRow {
  workspace_id: string
  slug: string
  container_memory_mb: number | null
  container_cpus: number | null
  container_ttl_hours: number | null
  network_mode: 'restricted' | 'free'
  allowed_domains_json: string
  allow_private_endpoints: number
  runtime_image: string | null
}

const columns =
  'crew_id, desired, desired_at, used_at, observed, observed_at, container_id, contract, started_at, error'
const owned = `SELECT o.crew_id, o.desired, o.desired_at, o.used_at, o.observed, o.observed_at, o.container_id,
  o.contract, o.started_at, o.error,
    c.workspace_id, c.slug, c.container_memory_mb, c.container_cpus, c.container_ttl_hours, c.network_mode,
    c.allowed_domains_json,
    c.allow_private_endpoints, c.runtime_image
  FROM crew_containers o JOIN crews c ON c.id = o.crew_id`

export const queries = statements((db) => ({
  /** All of them: one row for each crew, and the reconciler compares every one. */
  all: db.prepare<[], OwnedRow>(owned),
  owned: db.prepare<[crew: string], OwnedRow>(`${owned} WHERE o.crew_id = ?`),
  find: db.prepare<[crew: string], ContainerRow>(`SELECT ${columns} FROM crew_containers WHERE crew_id = ?`),
  waiting: db.prepare<[crew: string], { id: string }>(
    "SELECT id FROM runs WHERE crew_id = ? AND phase <> 'ended' AND phase = 'parked' LIMIT 1",
  ),
  insert: db.prepare<[crew: string, at: string]>(
    "INSERT INTO crew_containers (crew_id, desired, desired_at, observed) VALUES (?, 'stopped', ?, 'none')",
  ),
  want: db.prepare<[desired: Desired, at: string, crew: string]>(
    'UPDATE crew_containers SET desired = ?, desired_at = ? WHERE crew_id = ?',
  ),
  use: db.prepare<[at: string, crew: string]>('UPDATE crew_containers SET used_at = ? WHERE crew_id = ?'),
  observe: db.prepare<[Omit<ContainerRow, 'desired' | 'desired_at' | 'used_at'>]>(
    `UPDATE crew_containers SET observed = @observed, observed_at = @observed_at, container_id = @container_id,
      contract = @contract,
       started_at = @started_at, error = @error WHERE crew_id = @crew_id`,
  ),
  forget: db.prepare<[crew: string]>("DELETE FROM crew_containers WHERE crew_id = ? AND desired = 'removed'"),
}))

/** Statements that read a whole table, and why they may. */
export const scans = { all: 'the reconciler looks at every crew' }
