import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { Entry } from '#contract/entries'
import { allows } from '#contract/roles'
import type { RoutineDefinition } from '#contract/routine-definition'
import type { RoutineRun, routines } from '#contract/routines'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { wokenBy } from '#kernel/waiting'
import { findIssue } from '../../issues/service.ts'
import { tokenFor } from '../../waitpoints/service.ts'
import { type Node, nodesOf } from '../definitions/plan.ts'
import { cancelRun, fingerprintOf } from '../endings/service.ts'
import { queries as engine, type RunRow } from '../engine/queries.ts'
import { parkRun } from '../pending/service.ts'
import { findRoutine, routineById } from '../service.ts'
import { type RunRequest, startRun } from '../starting/service.ts'
import { queries } from './queries.ts'
import { spansOf } from './spans.ts'

type Shown = Static<typeof RoutineRun>

const metadataOf = (row: RunRow) => JSON.parse(row.metadata_json) as Record<string, unknown>

function toRun(row: RunRow): Shown {
  const metadata = metadataOf(row)
  const words = (name: string) => (typeof metadata[name] === 'string' ? metadata[name] : '')
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    pipeline_id: row.routine_id,
    pipeline_slug: row.routine_slug,
    pipeline_name: row.routine_name,
    version: row.version,
    definition_hash: row.definition_hash,
    mode: row.mode,
    status: row.status,
    current_step_id: row.current_step_id ?? '',
    failed_at_step: row.failed_at_step ?? '',
    error_message: row.error_message ?? '',
    ...(row.status === 'failed' && { error_fingerprint: fingerprintOf(row) }),
    warnings: JSON.parse(row.warnings_json) as string[],
    tags: JSON.parse(row.tags_json) as string[],
    metadata,
    priority: row.priority,
    triggered_via: row.triggered_via,
    triggered_by_id: row.triggered_by_id ?? '',
    ...(row.triggered_via === 'automation' && {
      automation_id: row.triggered_by_id ?? '',
      automation_name: words('automation_name'),
      trigger_event_type: words('trigger_event_type'),
    }),
    invoking_crew_id: row.crew_id ?? '',
    invoking_agent_id: '',
    invoking_user_id: row.user_id ?? '',
    parent_run_id: row.parent_run_id,
    chain_origin: row.chain_origin,
    chain_depth: row.chain_depth,
    idempotency_key: row.idempotency_key,
    is_replay: row.replay_of !== null,
    replay_of: row.replay_of,
    issue_identifier: row.triggered_via === 'issue' ? words('issue_identifier') : '',
    cost_usd: row.cost_usd,
    created_at: row.created_at,
    started_at: row.started_at,
    ended_at: row.ended_at ?? '',
    duration_ms: row.duration_ms ?? 0,
  }
}

const listed = { fallback: 50, max: 200 }

export function runs(app: App, { actor, query }: Call<typeof routines.runs>): Reply<typeof routines.runs> {
  const { status } = query
  const page = { workspace: actor.workspace, ...pageOf(query, { fallback: 100, max: 200 }) }
  const { all, withStatus, active } = queries(app.db)
  const rows = status === 'active' ? active.all(page) : status ? withStatus.all({ ...page, status }) : all.all(page)
  return { rows: rows.map(toRun), count: rows.length }
}

export const active = ({ db }: App, { actor }: Call<typeof routines.active>): Shown[] =>
  queries(db).active.all({ workspace: actor.workspace, limit: 200, offset: 0 }).map(toRun)

export function records(app: App, { actor, routineSlug, query }: Call<typeof routines.records>): Shown[] {
  const { id } = findRoutine(app, actor.workspace, routineSlug)
  const { limit } = pageOf(query, listed)
  const { ofRoutine, ofRoutineWith } = queries(app.db)
  return (query.status ? ofRoutineWith.all(id, query.status, limit) : ofRoutine.all(id, limit)).map(toRun)
}

const ofRuns = ['started', 'completed', 'failed', 'cancelled'].map((name) => `pipeline.run.${name}`)
const ofSteps = ['started', 'completed', 'failed', 'skipped', 'retrying', 'validation_failed'].map(
  (name) => `pipeline.step.${name}`,
)

/** What the journal tells of the newest runs of a routine. */
export function history(
  app: App,
  { actor, routineSlug, query }: Call<typeof routines.history>,
): Reply<typeof routines.history> {
  const { id } = findRoutine(app, actor.workspace, routineSlug)
  const { limit } = pageOf(query, listed)
  const withSteps = query.include_steps === '1' || query.include_steps === 'true'
  const traces = JSON.stringify(queries(app.db).idsOfRoutine.all(id, limit))
  const types = JSON.stringify(withSteps ? [...ofRuns, ...ofSteps] : ofRuns)
  return queries(app.db)
    .history.all({ workspace: actor.workspace, traces, types, limit })
    .map((doc) => {
      const { trace_id, ...entry } = JSON.parse(doc) as Entry
      return { ...entry, pipeline_id: id, run_id: trace_id! }
    })
}

/** A run of the workspace, or `not_found`. */
export function findRun(app: App, workspace: string, id: string): RunRow {
  const row = queries(app.db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such run' })
  return row
}

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

export function result(
  app: App,
  { actor, routineRunId, query }: Call<typeof routines.result>,
): Reply<typeof routines.result> {
  const row = findRun(app, actor.workspace, routineRunId)
  const steps = engine(app.db).steps.all(row.id)
  const done = steps.filter(({ status }) => status === 'completed' || status === 'skipped')
  return {
    ...toRun(row),
    inputs: parsed(row.inputs_json) as Record<string, unknown>,
    output: parsed(row.output_json),
    step_outputs: Object.fromEntries(done.map(({ key, output_json }) => [key, parsed(output_json)])),
    steps: steps.map(({ id: _id, run_id: _run, state_json: _state, output_json, ...step }) => ({
      ...step,
      ...(output_json !== null && { output: parsed(output_json) }),
    })),
    sub_spans: spansOf(app, steps, actor.id, query.io_step),
  }
}

export function cancel(app: App, { actor, routineRunId }: Call<typeof routines.cancel>): Reply<typeof routines.cancel> {
  const { id } = findRun(app, actor.workspace, routineRunId)
  return { run_id: id, cancel_requested: cancelRun(app, id, actorOf(actor)) }
}

type Asked = Call<typeof routines.run>

/** A run that was begun or parked. */
export type Begun = { run: string; deduped: boolean; waitMs: number } | { parked: Reply<typeof routines.run> }

const [metadataLimit, inputsLimit] = [16_384, 524_288]

/** Begins a run now or later, as the request says. */
export function begin(app: App, { actor, routineSlug, body = {}, web }: Asked): Begun {
  const routine = findRoutine(app, actor.workspace, routineSlug)
  const header = web?.request.headers['idempotency-key']
  const key = body.idempotency_key ?? (typeof header === 'string' && header !== '' ? header.slice(0, 200) : undefined)
  for (const [name, limit] of [
    ['metadata', metadataLimit],
    ['inputs', inputsLimit],
  ] as const)
    if (JSON.stringify(body[name] ?? {}).length > limit)
      throw problem('body_over_limit', { field: name, detail: `${name} may have ${limit / 1024} KiB as JSON` })
  const issue =
    body.triggered_via === 'issue' && body.triggered_by_id
      ? { issue_identifier: findIssue(app, actor.workspace, body.triggered_by_id).identifier }
      : {}
  const request: RunRequest = {
    workspace: actor.workspace,
    routine,
    inputs: body.inputs ?? {},
    via: body.triggered_via ?? 'manual',
    by: body.triggered_by_id ?? actor.id,
    user: actor.type === 'user' ? actor.id : null,
    metadata: { ...body.metadata, ...issue },
    tags: body.tags ?? [],
    priority: body.priority ?? 0,
    tier: body.tier_override ?? null,
    idempotency: key ? { key, seconds: body.idempotency_key_ttl_seconds ?? 86_400 } : null,
  }
  const parked = later(app, request, body)
  if (parked) return { parked }
  const { run_id, status } = startRun(app, request)
  return { run: run_id, deduped: status === 'DEDUPED', waitMs: (body.wait_seconds ?? 10) * 1000 }
}

function later(app: App, request: RunRequest, body: NonNullable<Asked['body']>): Reply<typeof routines.run> | null {
  const now = app.clock()
  const { debounce_key: key, debounce_window_seconds: window = 10, delay_seconds: delay = 0, ttl_seconds: ttl } = body
  if (key === undefined && delay === 0) return null
  const wait = Math.max(delay, key === undefined ? 0 : window) * 1000
  const { pending_id, fire_at, coalesced } = parkRun(app, {
    ...request,
    fireAt: now + wait,
    debounce:
      key === undefined
        ? null
        : { key: `request:${key}`, maxAt: now + (body.debounce_max_seconds ?? window * 10) * 1000 },
    expiresAt: ttl === undefined ? null : now + ttl * 1000,
  })
  return { status: 'SCHEDULED', pending_id, fire_at, coalesced, priority: request.priority ?? 0 }
}

const words = {
  queued: 'RUNNING',
  running: 'RUNNING',
  waiting: 'WAITING',
  completed: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  interrupted: 'INTERRUPTED',
  dry_run: 'DRY_RUN_OK',
} as const

/** Waits a while for the end of a run, or until it waits itself. */
export async function outcome(
  app: App,
  actor: Actor,
  begun: Begun,
  signal: AbortSignal,
): Promise<Reply<typeof routines.run>> {
  if ('parked' in begun) return begun.parked
  const { run: run_id, deduped, waitMs } = begun
  if (deduped) return { run_id, status: 'DEDUPED' }
  const until = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
  let row = engine(app.db).run.get(run_id)!
  while ((row.status === 'queued' || row.status === 'running') && !until.aborted) {
    await wokenBy(app, run_id, app.clock() + waitMs, until)
    row = engine(app.db).run.get(run_id)!
  }
  return {
    run_id,
    status: words[row.status],
    ...(row.status === 'completed' && { output: parsed(row.output_json) }),
    ...(row.error_message && { error_message: row.error_message }),
    ...(row.failed_at_step && { failed_at_step: row.failed_at_step }),
    ...tokenOf(app, actor, row),
  }
}

/** What a run that waits for a person is let go on with: for those who may decide. */
function tokenOf(app: App, { role }: Actor, { id, status }: RunRow): { waitpoint_token?: string } {
  if (status !== 'waiting' || !role || !allows('MANAGER', role)) return {}
  const step = engine(app.db)
    .steps.all(id)
    .find(({ status, waitpoint_id }) => status === 'waiting' && waitpoint_id !== null)
  const token = step && tokenFor(app, step.waitpoint_id!)
  return token ? { waitpoint_token: token } : {}
}

/** Begins a run with the inputs of an earlier one and, if asked for, with what that one had done before a step. */
export function replay(app: App, { actor, routineRunId, body = {} }: Call<typeof routines.replay>): Begun {
  const row = findRun(app, actor.workspace, routineRunId)
  const routine = routineById(app, actor.workspace, row.routine_id)
  if (!routine) throw problem('routine_inactive', { detail: 'The routine was deleted' })
  const { run_id } = startRun(app, {
    workspace: actor.workspace,
    routine,
    ...(body.from_step !== undefined && { version: row.version }),
    inputs: body.inputs ?? (parsed(row.inputs_json) as Record<string, unknown>),
    via: 'manual',
    by: actor.id,
    user: actor.type === 'user' ? actor.id : null,
    metadata: metadataOf(row),
    tags: JSON.parse(row.tags_json) as string[],
    tier: row.tier,
    replayOf: row.id,
  })
  if (body.from_step !== undefined) keepBefore(app, row, run_id, body.from_step)
  return { run: run_id, deduped: false, waitMs: 10_000 }
}

/** Copies what a run had done in the steps before one into another run. */
function keepBefore(app: App, row: RunRow, run: string, from: string): void {
  const steps = engine(app.db).steps.all(row.id)
  const at = steps.find(({ key }) => key === from)
  if (!at) throw problem('invalid_field', { field: 'from_step', detail: `The run never came to a step "${from}"` })
  const nodes = (definitionNodes(app, row) ?? []).filter(({ phase }) => phase === 'main')
  const order = nodes.map(({ key }) => key)
  const own = nodes.some(({ key, of }) => key === from && !of)
  const index = own ? nodes.findIndex(({ key, of }) => key === from || of?.id === from) : -1
  if (index < 0)
    throw problem('invalid_field', { field: 'from_step', detail: 'Name a step that is in no loop and no hook' })
  const kept = new Set(order.slice(0, index))
  for (const step of steps) {
    const isOver = ['completed', 'skipped', 'failed'].includes(step.status)
    if (isOver && kept.has(step.key.split('[')[0]!))
      engine(app.db).putStep.run({
        ...step,
        id: `${run}_${step.id}`,
        run_id: run,
        agent_run_id: null,
        child_run_id: null,
        waitpoint_id: null,
        cost_usd: null,
      })
  }
}

function definitionNodes(app: App, row: RunRow): readonly Node[] | null {
  const json = row.definition_json ?? engine(app.db).definition.get(row.routine_id, row.version)?.definition_json
  return json ? nodesOf(JSON.parse(json) as RoutineDefinition) : null
}
