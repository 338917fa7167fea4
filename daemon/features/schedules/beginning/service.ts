import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { Problem } from '#kernel/problem'
import { timeAt } from '#kernel/time-at'
import { raise } from '../../inbox/service.ts'
import { gaveOf } from '../../routines/endings/service.ts'
import { type RoutineRow, routineById, routineBySlug } from '../../routines/service.ts'
import { startRun } from '../../routines/starting/service.ts'
import { type Listed, queries, type Row } from '../queries.ts'
import { dueOf, saysGo } from '../rules.ts'
import { requestOf } from '../service.ts'

/** Stores other members of a schedule. */
function set(app: App, { slug: _, ...row }: Listed, members: Partial<Row>): void {
  queries(app.db).update.run({ ...row, ...members })
}

/** Begins what a schedule asks for, and puts its next time on record. */
export function beginDue(app: App, id: string): void {
  const row = queries(app.db).byId.get(id)
  if (!row?.next_run_at) return
  const { begin, missed, next } = dueOf(
    row.cron_expr,
    row.timezone,
    row.catchup_policy,
    Date.parse(row.next_run_at),
    app.clock(),
  )
  set(app, row, { next_run_at: next === null ? null : timeAt(next), last_missed_count: missed })
  if (missed) tellMissed(app, row, missed, row.next_run_at)
  for (const at of begin) beginOne(app, id, at)
}

/** Begins one occurrence, once: by its wake routine if it has one. */
function beginOne(app: App, id: string, at: number): void {
  const row = queries(app.db).byId.get(id)!
  const routine = routineById(app, row.workspace_id, row.routine_id)
  if (!routine || routine.status === 'disabled') set(app, row, { last_status: 'SKIPPED' })
  else if (row.wake_slug === null) start(app, row, routine, at)
  else beginWake(app, row, routine, at)
}

/** Asks the wake routine whether an occurrence is to begin. One that is gone counts as failed. */
function beginWake(app: App, row: Listed, routine: RoutineRow, at: number): void {
  const wake = routineBySlug(app, row.workspace_id, row.wake_slug!)
  if (!wake) {
    afterWake(app, row, routine, at, null)
    return
  }
  const key = `schedule:${row.id}:${timeAt(at)}`
  attempt(app, row, () => {
    startRun(app, {
      ...requestOf(row, wake),
      version: null,
      inputs: row.wake_inputs_json === null ? {} : (JSON.parse(row.wake_inputs_json) as Record<string, unknown>),
      via: 'wake_check',
      metadata: { schedule_id: row.id, due_at: timeAt(at) },
      idempotency: { key, seconds: 7 * 86_400 },
    })
    set(app, row, { last_status: 'WAITING' })
  })
}

function start(app: App, row: Listed, routine: RoutineRow, at: number): void {
  attempt(app, row, () => {
    const idempotency = { key: `schedule:${row.id}:${timeAt(at)}`, seconds: 7 * 86_400 }
    const { run_id, status } = startRun(app, { ...requestOf(row, routine), idempotency })
    const last_status = status === 'DEDUPED' ? 'DEDUPED' : 'WAITING'
    set(app, row, { last_run_at: app.now(), last_run_id: run_id, last_status })
  })
}

/** A routine that is busy is left out; one that refuses the run has failed. */
function attempt(app: App, row: Listed, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'routine_busy') set(app, row, { last_status: 'SKIPPED' })
    else count(app, row, 'FAILED')
  }
}

/** What the wake routine gave decides; null when it failed. */
function afterWake(app: App, row: Listed, routine: RoutineRow, at: number, gave: { output: unknown } | null): void {
  const goes = gave === null ? row.wake_fail_closed === 0 : saysGo(gave.output)
  if (goes) start(app, row, routine, at)
  else set(app, row, { last_status: 'SKIPPED' })
}

type Ended = Happened<'routine_run.completed' | 'routine_run.failed' | 'routine_run.cancelled'>

/** Counts the end of a run that a schedule began, and goes on after a wake routine. */
export function afterRun(app: App, { name, payload }: Ended): void {
  const { triggered_via, triggered_by_id, run_id } = payload
  const row = triggered_by_id ? queries(app.db).byId.get(triggered_by_id) : undefined
  if (!row) return
  if (triggered_via === 'schedule') {
    if (name === 'routine_run.cancelled') set(app, row, { last_status: 'SKIPPED' })
    else count(app, row, name === 'routine_run.completed' ? 'COMPLETED' : 'FAILED')
    return
  }
  const routine = routineById(app, row.workspace_id, row.routine_id)
  if (triggered_via !== 'wake_check' || !routine) return
  const { due_at, output } = gaveOf(app, run_id)
  afterWake(app, row, routine, Date.parse(due_at), name === 'routine_run.completed' ? { output } : null)
}

/** Switches a schedule off whose runs fail one after the other. */
function count(app: App, row: Listed, last_status: 'COMPLETED' | 'FAILED'): void {
  const failures = last_status === 'FAILED' ? row.consecutive_failures + 1 : 0
  const isOver = failures >= row.max_consecutive_failures && row.enabled === 1
  set(app, row, {
    last_status,
    consecutive_failures: failures,
    ...(isOver && { enabled: 0, next_run_at: null, disabled_reason: 'circuit_breaker' }),
  })
  if (isOver) tellTripped(app, row, failures)
}

const of = ({ id, name, slug }: Listed) => ({ schedule_id: id, name, pipeline_slug: slug })
const about = ({ workspace_id }: Listed) => ({ workspace_id, actor_type: 'system' as const })

function tellTripped(app: App, row: Listed, consecutive_failures: number): void {
  app.journal(fact('schedule.tripped', { ...of(row), consecutive_failures }, about(row)))
  const item = {
    kind: 'schedule_circuit_breaker_tripped',
    source: row.id,
    target: { role: 'MANAGER' },
    title: `The schedule "${row.name}" was switched off`,
    body: `Its runs failed ${consecutive_failures} times in a row. Switch it on again once the cause is gone.`,
    priority: 'high',
    payload: { schedule_id: row.id, pipeline_slug: row.slug, consecutive_failures },
  } as const
  raise(app, { ...item, workspace: row.workspace_id, now: app.now() }, 'upsert')
}

function tellMissed(app: App, row: Listed, missed_count: number, since: string): void {
  const { catchup_policy } = row
  app.journal(fact('schedule.missed', { ...of(row), missed_count, since, catchup_policy }, about(row)))
  const item = {
    kind: 'schedule_missed',
    source: row.id,
    target: { role: 'MANAGER' },
    title: `The schedule "${row.name}" was missed ${missed_count === 1 ? 'once' : `${missed_count} times`}`,
    body: 'Muster was not running when it was due. What was missed is not made up for.',
    payload: { schedule_id: row.id, pipeline_slug: row.slug, missed_count, catchup_policy, since },
  } as const
  raise(app, { ...item, workspace: row.workspace_id, now: app.now() }, 'upsert')
}
