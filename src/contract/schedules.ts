import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, line, nullable, Time } from './fields.ts'
import { startRefusals } from './routine-starts.ts'

export const catchupPolicies = ['skip', 'once', 'all'] as const
export type CatchupPolicy = (typeof catchupPolicies)[number]

/** The most schedules of a workspace, and missed occurrences that `all` makes up for. */
export const [mostSchedules, mostCaughtUp] = [10_000, 20]

const text = nullable(Type.String())
const free = Type.Record(Type.String(), Type.Unknown())

/** When a routine begins by itself. docs/schedules.md. */
export const Schedule = Type.Object({
  id: Id,
  workspace_id: Id,
  name: Type.String(),
  cron_expr: Type.String(),
  timezone: Type.String(),
  target_pipeline_id: Id,
  target_pipeline_slug: Type.String(),
  target_pipeline_version: nullable(Type.Integer({ description: 'null: the active one' })),
  inputs: free,
  enabled: Type.Boolean(),
  catchup_policy: Type.Enum([...catchupPolicies]),
  max_consecutive_failures: Type.Integer(),
  wake_pipeline_slug: text,
  wake_inputs: nullable(free),
  wake_fail_closed: Type.Boolean(),
  next_run_at: nullable(Time),
  next_runs: Type.Array(Time, { description: 'The next three times' }),
  last_run_at: nullable(Time),
  last_run_id: text,
  last_status: nullable(
    Type.Enum(['COMPLETED', 'FAILED', 'SKIPPED', 'WAITING', 'DEDUPED'], { description: 'WAITING: its run goes on' }),
  ),
  last_missed_count: Type.Integer(),
  consecutive_failures: Type.Integer(),
  disabled_reason: nullable(Type.Enum(['circuit_breaker', 'routine_deleted'])),
  created_at: Time,
  updated_at: Time,
})

const members = {
  timezone: Type.Optional(nullable(Type.String({ maxLength: 64, description: 'UTC unless stated' }))),
  target_pipeline_slug: Type.Optional(Type.String({ maxLength: 64 })),
  target_pipeline_id: Type.Optional(Type.String({ maxLength: 64, description: 'Instead of the slug' })),
  target_pipeline_version: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
  inputs: Type.Optional(nullable(free)),
  enabled: Type.Optional(Type.Boolean({ description: 'true unless stated' })),
  catchup_policy: Type.Optional(
    Type.Enum([...catchupPolicies], {
      description: 'What was missed: skip it (unless stated), once, or all, at most 20',
    }),
  ),
  max_consecutive_failures: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Failures in a row that switch it off; 5 unless stated' }),
  ),
  wake_pipeline_slug: Type.Optional(
    nullable(Type.String({ maxLength: 64, description: 'A routine whose output says whether it begins' })),
  ),
  wake_inputs: Type.Optional(nullable(free)),
  wake_fail_closed: Type.Optional(Type.Boolean({ description: 'It does not begin when that routine fails' })),
}
const cron = Type.String({
  maxLength: 200,
  description: 'Five fields (minute, hour, day of month, month, day of week) or @daily and the like',
})

const changing = { access: 'MANAGER', scope: 'workspace:admin' } as const
const W = '/workspaces/:workspaceId'
const at = `${W}/pipeline-schedules/:scheduleId` as const

export const schedules = {
  list: get(`${W}/pipeline-schedules`, {
    summary: 'List schedules of routines, the next one first',
    access: 'VIEWER',
    reply: Type.Array(Schedule),
    throws: ['not_found'],
  }),
  create: post(`${W}/pipeline-schedules`, {
    summary: 'Create a schedule for a routine',
    ...changing,
    body: Type.Object({ name: line(100), cron_expr: cron, ...members }),
    reply: Schedule,
    journal: ['audit.entity_created'],
    entity: 'schedule',
    throws: ['not_found', 'missing_field', 'schedules_full', 'body_over_limit'],
  }),
  update: patch(at, {
    summary: 'Change a schedule; enabling it forgets its failures',
    ...changing,
    access: 'ADMIN',
    body: Type.Object({ name: Type.Optional(line(100)), cron_expr: Type.Optional(cron), ...members }),
    reply: Schedule,
    journal: ['audit.entity_updated'],
    entity: 'schedule',
    throws: ['not_found', 'no_fields', 'body_over_limit'],
  }),
  remove: del(at, {
    summary: 'Delete a schedule',
    ...changing,
    access: 'ADMIN',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  run: post(`${at}/run`, {
    summary: 'Run the routine of a schedule now, as if it were due',
    ...changing,
    status: 200,
    reply: Type.Object({ run_id: Id, status: Type.Enum(['PENDING', 'DEDUPED']) }),
    journal: ['pipeline.run.started'],
    throws: ['not_found', ...startRefusals, 'chain_too_deep'],
  }),
}
