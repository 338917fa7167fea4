import { fact } from '#contract/entries'
import type { ModelTier, RoutineDefinition } from '#contract/routine-definition'
import { deepestChain, mostOpenRuns, type TriggeredVia } from '#contract/routines'
import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { render } from '#kernel/templates'
import { hasNamed } from '../../credentials/named/service.ts'
import { inputsOf } from '../definitions/inputs.ts'
import { queries as engine, type RunRow } from '../engine/queries.ts'
import { type RoutineRow, queries as routines } from '../queries.ts'
import { queries } from './queries.ts'

export type Via = TriggeredVia

/** What a run is asked to do, and by whom. */
export interface RunRequest {
  workspace: string
  routine: RoutineRow
  /** The active one unless stated. */
  version?: number | null
  inputs: Readonly<Record<string, unknown>>
  via: Via
  /** Id of what triggered it. */
  by: string | null
  /** What happened that it is about, for templates. */
  event?: object | null
  /** Id of the person who asked for it. */
  user?: string | null
  metadata?: Readonly<Record<string, unknown>>
  tags?: readonly string[]
  priority?: number
  tier?: ModelTier | null
  idempotency?: { key: string; seconds: number } | null
  /** How many runs started each other before. */
  chain?: { depth: number; origin: string | null }
  /** The step that called it. */
  parent?: { run: string; step: string }
  /** The run whose inputs it has. */
  replayOf?: string
}

export interface Started {
  run_id: string
  status: 'PENDING' | 'DEDUPED'
}

/** The definition of a version; the active one unless another is named. */
export function definitionOf(app: App, routine: RoutineRow, version: number | null = null) {
  const wanted = version ?? routine.active_version
  const row = wanted === null ? undefined : routines(app.db).version.get(routine.id, wanted)
  if (row?.state !== 'approved')
    throw problem('routine_inactive', {
      detail:
        version === null
          ? `No version of ${routine.slug} is approved: muster routines approve ${routine.slug}`
          : `Version ${version} of ${routine.slug} is not approved`,
      extra: { routine_status: routine.status },
    })
  return { row, definition: JSON.parse(row.definition_json) as RoutineDefinition }
}

/**
 * Starts a run, which begins once the change is committed. Throws routine_inactive, chain_too_deep, invalid_inputs,
 * missing_credentials, routine_busy. The same idempotency key answers with the run that it started before.
 */
export function startRun(app: App, it: RunRequest): Started {
  const { routine, workspace } = it
  const known = it.idempotency && queries(app.db).known.get(routine.id, it.idempotency.key, app.now())
  if (known) return { run_id: known.run_id, status: 'DEDUPED' }
  if (routine.status === 'disabled')
    throw problem('routine_inactive', {
      detail: `${routine.slug} is disabled: muster routines enable ${routine.slug}`,
      extra: { routine_status: routine.status },
    })
  const { depth = 1, origin = null } = it.chain ?? {}
  if (depth > deepestChain)
    throw problem('chain_too_deep', { detail: `Routines start each other at most ${deepestChain} times in a row` })
  const { row, definition } = definitionOf(app, routine, it.version ?? null)
  const checked = inputsOf(definition, it.inputs)
  if ('field' in checked) throw problem('invalid_inputs', checked)
  checkCredentials(app, routine, definition)
  checkIntegrations(routine, definition)
  const group = groupOf(app, definition, { inputs: checked.inputs, run: { metadata: it.metadata ?? {} } })
  checkRoom(app, routine, definition, group)
  const id = newId(app.clock())
  const run: RunRow = {
    id,
    workspace_id: workspace,
    routine_id: routine.id,
    routine_slug: routine.slug,
    routine_name: routine.name,
    crew_id: routine.author_crew_id,
    version: row.version,
    definition_hash: row.definition_hash,
    definition_json: null,
    mode: 'run',
    status: 'queued',
    inputs_json: JSON.stringify(checked.inputs),
    event_json: it.event ? JSON.stringify(it.event) : null,
    output_json: null,
    error_message: null,
    failed_at_step: null,
    current_step_id: null,
    warnings_json: '[]',
    tags_json: JSON.stringify(it.tags ?? []),
    metadata_json: JSON.stringify(it.metadata ?? {}),
    priority: it.priority ?? 0,
    triggered_via: it.via,
    triggered_by_id: it.by,
    user_id: it.user ?? null,
    parent_run_id: it.parent?.run ?? null,
    parent_step_id: it.parent?.step ?? null,
    chain_origin: origin ?? id,
    chain_depth: depth,
    idempotency_key: it.idempotency?.key ?? null,
    replay_of: it.replayOf ?? null,
    concurrency_group: group,
    tier: it.tier ?? null,
    cost_usd: 0,
    created_at: new Date(app.clock()).toISOString(),
    started_at: null,
    ended_at: null,
    duration_ms: null,
  }
  engine(app.db).insertRun.run(run)
  if (it.idempotency) remember(app, routine.id, id, it.idempotency)
  routines(app.db).began.run(app.now(), routine.id)
  tellStarted(app, run)
  app.afterCommit(() => app.bus.emit('routine', id))
  return { run_id: id, status: 'PENDING' }
}

function remember(app: App, routine: string, run: string, { key, seconds }: { key: string; seconds: number }): void {
  const expires = new Date(app.clock() + seconds * 1000).toISOString()
  queries(app.db).remember.run({ routine, key, run, expires })
}

function tellStarted(app: App, run: RunRow): void {
  const { id, workspace_id, crew_id, routine_id, routine_slug, triggered_via, triggered_by_id, user_id } = run
  const of = { run_id: id, pipeline_id: routine_id, pipeline_slug: routine_slug, triggered_via }
  app.journal(
    fact(
      'routine_run.started',
      {
        ...of,
        ...(triggered_by_id && { triggered_by_id }),
        version: run.version,
        chain_depth: run.chain_depth,
      },
      {
        workspace_id,
        ...(crew_id && { crew_id }),
        ...(user_id ? { actor_type: 'user', actor_id: user_id } : { actor_type: 'orchestrator' }),
        trace_id: id,
      },
    ),
  )
  app.broadcast({
    channel: `workspace:${workspace_id}`,
    type: 'pipeline.run.started',
    payload: { run_id: id, status: 'queued', pipeline_slug: routine_slug, triggered_via },
  })
}

/** Refuses a run that could not do its work for want of a credential. */
function checkCredentials(app: App, routine: RoutineRow, { credentials_required = [] }: RoutineDefinition): void {
  const { workspace_id: workspace, author_crew_id: crew } = routine
  const missing = credentials_required
    .map(({ type }) => type)
    .filter((name) => !hasNamed(app, { workspace, crew, name }))
  if (missing.length)
    throw problem('missing_credentials', {
      detail: `${routine.slug} needs the credentials ${missing.join(', ')}: muster credentials create`,
      extra: { missing_credentials: missing },
    })
}

/** This version has no integrations, so each one that is required is missing. */
function checkIntegrations({ slug }: RoutineRow, { integrations_required: missing = [] }: RoutineDefinition): void {
  if (missing.length)
    throw problem('missing_integrations', {
      detail: `${slug} needs the integrations ${missing.join(', ')}, which this server does not have`,
      extra: { missing_integrations: missing },
    })
}

/** Runs that count together: by the key of the definition, or all of them where only a limit is stated. */
function groupOf(_: App, definition: RoutineDefinition, values: Record<string, unknown>): string | null {
  if (definition.concurrency_key !== undefined) return `key:${render(definition.concurrency_key, values).slice(0, 500)}`
  return definition.max_concurrent === undefined ? null : 'all'
}

function checkRoom(app: App, routine: RoutineRow, { max_concurrent = 1 }: RoutineDefinition, group: string | null) {
  const most = group === null ? mostOpenRuns : max_concurrent
  const open =
    group === null ? queries(app.db).open.get(routine.id)! : engine(app.db).openInGroup.get(routine.id, group)!
  if (open >= most)
    throw problem('routine_busy', {
      detail: `${routine.slug} has ${open === 1 ? 'one run' : `${open} runs`} at work, which is as many as it may`,
      headers: { 'retry-after': '5' },
    })
}
