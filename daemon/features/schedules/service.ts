import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { mostSchedules, type Schedule, type schedules } from '#contract/schedules'
import type { App } from '#kernel/app'
import { cronOf, nextTime, nextTimes, timezoneOf } from '#kernel/cron'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { blankToNull, cleanName, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { timeAt } from '#kernel/time-at'
import { type RoutineRow, routineById, routineBySlug } from '../routines/service.ts'
import { startRun } from '../routines/starting/service.ts'
import { type Listed, queries, type Row } from './queries.ts'

type Shown = Static<typeof Schedule>
type Body = Call<typeof schedules.update>['body']

const parsed = (json: string) => JSON.parse(json) as Record<string, unknown>

function present(app: App, row: Listed): Shown {
  const { routine_id, slug, version, inputs_json, wake_slug, wake_inputs_json, ...rest } = row
  return {
    ...rest,
    enabled: row.enabled === 1,
    wake_fail_closed: row.wake_fail_closed === 1,
    target_pipeline_id: routine_id,
    target_pipeline_slug: slug,
    target_pipeline_version: version,
    inputs: parsed(inputs_json),
    wake_pipeline_slug: wake_slug,
    wake_inputs: wake_inputs_json === null ? null : parsed(wake_inputs_json),
    next_runs: row.enabled ? nextTimes(row.cron_expr, row.timezone, app.clock()).map(timeAt) : [],
  }
}

export const list = (app: App, { actor }: Call<typeof schedules.list>): Shown[] =>
  queries(app.db)
    .list.all(actor.workspace)
    .map((row) => present(app, row))

export function findSchedule({ db }: App, workspace: string, id: string): Listed {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such schedule' })
  return row
}

const fresh = (id: string, workspace_id: string, routine: string, now: string): Row => ({
  id,
  workspace_id,
  name: '',
  cron_expr: '',
  timezone: 'UTC',
  routine_id: routine,
  version: null,
  inputs_json: '{}',
  enabled: 1,
  catchup_policy: 'skip',
  max_consecutive_failures: 5,
  wake_slug: null,
  wake_inputs_json: null,
  wake_fail_closed: 0,
  next_run_at: null,
  last_run_at: null,
  last_run_id: null,
  last_status: null,
  last_missed_count: 0,
  consecutive_failures: 0,
  disabled_reason: null,
  created_at: now,
  updated_at: now,
})

export function create(app: App, { actor, body, now }: Call<typeof schedules.create>): Shown {
  const { workspace } = actor
  if (queries(app.db).count.get(workspace)! >= mostSchedules)
    throw problem('schedules_full', { detail: `A workspace has at most ${mostSchedules} schedules` })
  const routine = targetOf(app, workspace, body)
  if (!routine)
    throw problem('missing_field', { field: 'target_pipeline_slug', detail: 'target_pipeline_slug is required' })
  const row = merged(app, fresh(newId(app.clock()), workspace, routine.id, now), body)
  queries(app.db).insert.run(row)
  announce(app, row)
  return present(app, findSchedule(app, workspace, row.id))
}

/** The routine that a body names; null when it names none. */
function targetOf(app: App, workspace: string, body: Body): RoutineRow | null {
  const { target_pipeline_slug: slug, target_pipeline_id: id } = body
  if (slug === undefined && id === undefined) return null
  const found = slug === undefined ? routineById(app, workspace, id!) : routineBySlug(app, workspace, slug)
  const field = slug === undefined ? 'target_pipeline_id' : 'target_pipeline_slug'
  if (!found) throw problem('not_found', { field, detail: 'There is no such routine' })
  return found
}

const jsonLimit = 65_536
function jsonOf(field: string, value: object): string {
  const json = JSON.stringify(value)
  if (json.length > jsonLimit) throw problem('body_over_limit', { field, detail: `${field} may have 64 KiB as JSON` })
  return json
}

/** A schedule with what a body says of it; refuses what can never begin. */
function merged(app: App, before: Row, body: Body): Row {
  const cron_expr = body.cron_expr === undefined ? before.cron_expr : (cronOf('cron_expr', body.cron_expr) ?? '')
  if (cron_expr === '') throw problem('invalid_field', { field: 'cron_expr', detail: 'cron_expr must not be blank' })
  const timezone = body.timezone === undefined ? before.timezone : timezoneOf('timezone', body.timezone)
  const next = nextTime(cron_expr, timezone, app.clock())
  if (next === null)
    throw problem('invalid_field', { field: 'cron_expr', detail: `cron_expr: no time fits "${cron_expr}"` })
  const enabled = body.enabled === undefined ? before.enabled : Number(body.enabled)
  const isAnew = body.enabled === true && before.enabled === 0
  const wake = body.wake_pipeline_slug === undefined ? before.wake_slug : blankToNull(body.wake_pipeline_slug)
  if (wake !== null && wake !== before.wake_slug && !routineBySlug(app, before.workspace_id, wake))
    throw problem('not_found', { field: 'wake_pipeline_slug', detail: 'There is no such routine' })
  const { wake_inputs } = body
  return {
    ...before,
    name:
      body.name === undefined ? before.name : cleanName('name', body.name, { min: 1, max: 100, unit: 'characters' }),
    cron_expr,
    timezone,
    version: body.target_pipeline_version === undefined ? before.version : body.target_pipeline_version,
    inputs_json: body.inputs === undefined ? before.inputs_json : jsonOf('inputs', body.inputs ?? {}),
    enabled,
    catchup_policy: body.catchup_policy ?? before.catchup_policy,
    max_consecutive_failures: body.max_consecutive_failures ?? before.max_consecutive_failures,
    wake_slug: wake,
    wake_inputs_json:
      wake_inputs === undefined ? before.wake_inputs_json : wake_inputs && jsonOf('wake_inputs', wake_inputs),
    wake_fail_closed: body.wake_fail_closed === undefined ? before.wake_fail_closed : Number(body.wake_fail_closed),
    next_run_at: enabled ? timeAt(next) : null,
    ...(isAnew && { consecutive_failures: 0, disabled_reason: null }),
    updated_at: app.now(),
  }
}

const changeable = [
  'name',
  'cron_expr',
  'timezone',
  'target_pipeline_slug',
  'target_pipeline_id',
  'target_pipeline_version',
  'inputs',
  'enabled',
  'catchup_policy',
  'max_consecutive_failures',
  'wake_pipeline_slug',
  'wake_inputs',
  'wake_fail_closed',
]

export function update(app: App, { actor, scheduleId, body }: Call<typeof schedules.update>): Shown {
  const { slug: _, ...before } = findSchedule(app, actor.workspace, scheduleId)
  requireSome(body, changeable)
  const routine = targetOf(app, actor.workspace, body)
  const row = merged(app, { ...before, ...(routine && { routine_id: routine.id }) }, body)
  if (row.enabled && !routineById(app, actor.workspace, row.routine_id))
    throw problem('not_found', { field: 'target_pipeline_slug', detail: 'Its routine was deleted: name another one' })
  queries(app.db).update.run(row)
  announce(app, row)
  return present(app, findSchedule(app, actor.workspace, row.id))
}

export function remove(app: App, { actor, scheduleId }: Call<typeof schedules.remove>): undefined {
  const { id, name } = findSchedule(app, actor.workspace, scheduleId)
  queries(app.db).remove.run(id)
  app.journal(fact('schedule.deleted', { entity_id: id, name }, { workspace_id: actor.workspace, ...actorOf(actor) }))
}

export function run(app: App, { actor, scheduleId }: Call<typeof schedules.run>): Reply<typeof schedules.run> {
  const row = findSchedule(app, actor.workspace, scheduleId)
  const routine = routineById(app, actor.workspace, row.routine_id)
  if (!routine) throw problem('routine_inactive', { detail: 'The routine was deleted' })
  const user = actor.type === 'user' ? actor.id : null
  return startRun(app, { ...requestOf(row, routine), user })
}

/** The run that a schedule asks for. */
export const requestOf = ({ id, workspace_id, version, inputs_json, name }: Row, routine: RoutineRow) => ({
  workspace: workspace_id,
  routine,
  version,
  inputs: parsed(inputs_json),
  via: 'schedule' as const,
  by: id,
  metadata: { schedule_id: id, schedule_name: name },
  tags: ['scheduled'],
})

/** A schedule of a deleted routine begins nothing until it names another one. */
export const leaveRoutine = ({ db }: App, { payload }: Happened<'routine.deleted'>): void =>
  void queries(db).stopOfRoutine.run(payload.entity_id)

export const dropAll = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).removeOfWorkspace.run(payload.entity_id)

const announce = (app: App, { next_run_at }: Row): void => {
  if (next_run_at) app.afterCommit(() => app.bus.emit('scheduled', next_run_at))
}
