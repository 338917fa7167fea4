// Longer than other files: routines have 31 operations, whose shapes belong together.
import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Color, Id, line, nullable, page, prose, Time } from './fields.ts'
import { JournalEntry } from './journal.ts'
import { modelTiers, mostDefinition, RoutineSlug } from './routine-definition.ts'
import { startRefusals } from './routine-starts.ts'
import { RoutineTree } from './routine-tree.ts'

export const routineStatuses = ['proposed', 'active', 'disabled'] as const
export const routineRunStatuses = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
  'dry_run',
] as const
export type RoutineRunStatus = (typeof routineRunStatuses)[number]
export const routineStepStatuses = [
  'running',
  'waiting',
  'retrying',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const
export const triggeredVias = [
  'manual',
  'schedule',
  'webhook',
  'call_pipeline',
  'wake_check',
  'automation',
  'issue',
] as const
export type TriggeredVia = (typeof triggeredVias)[number]

/** A body with a definition, which may come as a text. */
const definitionBody = 2 * mostDefinition + 65_536

/** Routines of a workspace, and runs of one that may be open at a time. */
export const [mostRoutines, mostOpenRuns] = [1000, 10_000]
/** Runs that start each other, one after the other. */
export const deepestChain = 8

const text = nullable(Type.String())
const members = (description?: string) =>
  Type.Record(Type.String(), Type.Unknown(), { ...(description && { description }) })
const anything = Type.Unsafe<unknown>({})

const row = {
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  description: text,
  dsl_version: Type.String(),
  definition_hash: Type.String(),
  version: Type.Integer({ description: 'The newest one' }),
  active_version: nullable(Type.Integer({ description: 'The one that runs; null before one is approved' })),
  status: Type.Enum([...routineStatuses], {
    description: 'proposed: the newest version waits for approval, and the active one goes on running',
  }),
  risk_reasons: Type.Array(Type.String()),
  author_user_id: text,
  author_agent_id: text,
  author_agent_name: text,
  author_crew_id: nullable(Type.String({ description: 'The crew whose agents and network its steps use' })),
  authored_via: Type.Enum(['agent_tool_call', 'user_api', 'imported', 'seed']),
  icon: text,
  color: text,
  run_count: Type.Integer(),
  invocation_count: Type.Integer(),
  last_run_at: nullable(Time),
  last_invoked_at: nullable(Time),
  last_invocation_status: text,
  ephemeral: Type.Boolean(),
  workspace_visible: Type.Boolean(),
  linked_issue_count: Type.Integer({ description: 'Issues that it is to do' }),
  linked_issues: Type.Array(Type.String(), { description: 'Identifiers of the newest three' }),
  inbox_item_id: Type.Optional(Type.String({ description: 'Where its newest version waits for approval' })),
  created_at: Time,
  updated_at: Time,
}

/** What is done in steps, by agents and without them. docs/routines.md. */
export const Routine = Type.Object(row)
const names = Type.Array(Type.String())
export const RoutineShown = Type.Object({
  ...row,
  definition: members(),
  manifest: Type.Object(
    {
      integrations: names,
      egress: names,
      credentials: Type.Array(Type.Object({ type: Type.String(), scope: Type.Optional(Type.String()) })),
      agents: names,
      routines: names,
      datastores: names,
      tools: names,
      has_http: Type.Boolean(),
      has_code: Type.Boolean(),
    },
    { description: 'What its newest version uses' },
  ),
})

const Version = Type.Object({
  version: Type.Integer(),
  is_head: Type.Boolean(),
  is_active: Type.Boolean(),
  state: Type.Enum(['proposed', 'approved', 'rejected']),
  parent_version: Type.Optional(Type.Integer()),
  definition_hash: Type.String(),
  risk_reasons: Type.Array(Type.String()),
  author_type: Type.String(),
  author_id: Type.String(),
  change_summary: text,
  created_at: Time,
})

const blank = Type.String({ description: '"" for none' })
const run = {
  id: Id,
  workspace_id: Id,
  pipeline_id: Id,
  pipeline_slug: Type.String(),
  pipeline_name: Type.String(),
  version: Type.Integer(),
  definition_hash: Type.String(),
  mode: Type.Enum(['run', 'test_run', 'dry_run']),
  status: Type.Enum([...routineRunStatuses]),
  current_step_id: blank,
  failed_at_step: blank,
  error_message: blank,
  error_fingerprint: Type.Optional(Type.String({ description: 'The same for failures alike' })),
  warnings: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
  metadata: members(),
  priority: Type.Integer(),
  triggered_via: Type.String(),
  triggered_by_id: blank,
  automation_id: Type.Optional(Type.String()),
  automation_name: Type.Optional(Type.String()),
  trigger_event_type: Type.Optional(Type.String()),
  invoking_crew_id: blank,
  invoking_agent_id: blank,
  invoking_user_id: blank,
  parent_run_id: text,
  chain_origin: text,
  chain_depth: Type.Integer(),
  idempotency_key: text,
  is_replay: Type.Boolean(),
  replay_of: text,
  issue_identifier: blank,
  cost_usd: Type.Number(),
  created_at: Time,
  started_at: nullable(Time),
  ended_at: blank,
  duration_ms: Type.Integer(),
}
export const RoutineRun = Type.Object(run)

const Step = Type.Object({
  key: Type.String({ description: 'Its id; in a foreach as each[3].id' }),
  type: Type.String(),
  status: Type.Enum([...routineStepStatuses]),
  attempt: Type.Integer(),
  output: Type.Optional(anything),
  error_message: text,
  agent_run_id: text,
  child_run_id: text,
  waitpoint_id: text,
  event_type: text,
  wake_at: nullable(Type.String({ description: 'When it is looked at again' })),
  cost_usd: nullable(Type.Number()),
  started_at: Time,
  ended_at: nullable(Time),
  duration_ms: nullable(Type.Integer()),
})

/** What an agent did within a step: it thought, or used a tool. */
/** Most characters that a span shows of what a tool was given, and of what it gave. */
export const spanTextLimit = 16_384

export const SubSpan = Type.Object({
  seq: Type.Integer(),
  kind: Type.Enum(['bash', 'write', 'read', 'edit', 'mcp_tool', 'http', 'tool', 'think']),
  name: Type.String({ description: 'The name of the tool' }),
  detail: Type.Optional(Type.String({ description: 'What it was used for: the command, the file, the address' })),
  started_at: Type.String({ description: 'When the message that it belongs to was stored' }),
  duration_ms: Type.Integer({ description: '0 within one message' }),
  status: Type.Enum(['ok', 'error', 'running']),
  input: Type.Optional(Type.String({ description: 'With io_step: what the tool was given, as JSON' })),
  output: Type.Optional(Type.String({ description: 'With io_step: what the tool gave, or what was thought' })),
  input_truncated: Type.Optional(Type.Boolean({ description: `The input has more than ${spanTextLimit} characters` })),
  output_truncated: Type.Optional(
    Type.Boolean({ description: `The output has more than ${spanTextLimit} characters` }),
  ),
})

const RunShown = Type.Object({
  ...run,
  inputs: members(),
  output: anything,
  step_outputs: members('The output of each step that is done, by its key'),
  steps: Type.Array(Step),
  sub_spans: Type.Record(Type.String(), Type.Array(SubSpan), {
    description: 'What the agents of steps did, by the key of the step',
  }),
})

const Slugged = Type.Object({ slug: Type.String(), status: Type.Enum([...routineStatuses]) })
const changing = { access: 'MANAGER', scope: 'workspace:admin' } as const
const W = '/workspaces/:workspaceId'
const at = `${W}/pipelines/:routineSlug` as const
const seconds = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 2_592_000, description }))

const definition = Type.Unsafe<Record<string, unknown> | string>({
  type: ['object', 'string'],
  maxLength: mostDefinition,
  description: 'As an object, or as text in JSON or YAML. Its schema: GET /api/v1/pipeline-schema',
})

export const RunRequest = Type.Object({
  inputs: Type.Optional(members()),
  triggered_via: Type.Optional(Type.Enum(['manual', 'issue'])),
  triggered_by_id: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
  tags: Type.Optional(Type.Array(line(50), { maxItems: 20 })),
  metadata: Type.Optional(members('At most 16 KiB')),
  tier_override: Type.Optional(
    Type.Enum([...modelTiers], { description: 'The grade of model for all steps that ask an agent' }),
  ),
  priority: Type.Optional(
    Type.Integer({ minimum: -100, maximum: 100, description: 'Of delayed runs that are due, the highest begin first' }),
  ),
  idempotency_key: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Or the header Idempotency-Key' }),
  ),
  idempotency_key_ttl_seconds: seconds('86400 unless stated'),
  delay_seconds: seconds('It begins so much later'),
  ttl_seconds: seconds('A delayed run that could not begin by then never begins'),
  debounce_key: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Requests with the same key become one run' }),
  ),
  debounce_window_seconds: seconds('How long it waits for another request; 10 unless stated'),
  debounce_max_seconds: seconds('How long all of them may put it off; ten windows unless stated'),
  wait_seconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60, description: 'How long to wait for its end; 10 unless stated' }),
  ),
})

const RunReply = Type.Object({
  run_id: Type.Optional(Id),
  status: Type.Enum([
    'COMPLETED',
    'FAILED',
    'CANCELLED',
    'WAITING',
    'RUNNING',
    'DEDUPED',
    'SCHEDULED',
    'DRY_RUN_OK',
    'INTERRUPTED',
  ]),
  output: Type.Optional(anything),
  error_message: Type.Optional(Type.String()),
  failed_at_step: Type.Optional(Type.String()),
  waitpoint_token: Type.Optional(Type.String({ description: 'To those who may decide' })),
  pending_id: Type.Optional(Id),
  fire_at: Type.Optional(Time),
  coalesced: Type.Optional(Type.Boolean()),
  priority: Type.Optional(Type.Integer()),
})

const DryStep = Type.Object({
  id: Type.String(),
  type: Type.String(),
  phase: Type.String(),
  needs: Type.Array(Type.String()),
  would: Type.String({ description: 'What it would do, in words' }),
  condition: Type.Optional(nullable(Type.Boolean({ description: 'null: it depends on steps before it' }))),
})

const Pending = Type.Object({
  id: Id,
  pipeline_id: Id,
  pipeline_slug: Type.String(),
  status: Type.Enum(['pending', 'fired', 'expired', 'cancelled']),
  fire_at: Time,
  expires_at: nullable(Time),
  debounce_key: text,
  match_count: Type.Integer({ description: 'How many requests it stands for' }),
  priority: Type.Integer(),
  triggered_via: Type.String(),
  triggered_by_id: text,
  created_at: Time,
})

const HistoryEntry = Type.Object({
  ...Type.Pick(JournalEntry, ['id', 'ts', 'entry_type', 'severity', 'summary', 'payload']).properties,
  pipeline_id: Id,
  run_id: Id,
})

const starts = ['pipeline.run.started'] as const
const limits = Type.Object({ limit: page.limit })

export const routines = {
  schema: get('/pipeline-schema', {
    summary: 'Show the JSON schema of definitions of routines, for editors',
    access: 'public',
    reply: members(),
  }),
  list: get(`${W}/pipelines`, {
    summary: 'List routines, by their names',
    access: 'VIEWER',
    reply: Type.Array(Routine),
    throws: ['not_found'],
  }),
  show: get(at, {
    summary: 'Show a routine with its newest definition',
    access: 'VIEWER',
    reply: RoutineShown,
    throws: ['not_found'],
  }),
  versions: get(`${at}/versions`, {
    summary: 'List the versions of a routine, newest first',
    access: 'VIEWER',
    reply: Type.Array(Version),
    throws: ['not_found'],
  }),
  version: get(`${at}/versions/:version`, {
    summary: 'Show a version of a routine with its definition',
    access: 'VIEWER',
    reply: Type.Object({ ...Version.properties, definition: members() }),
    throws: ['not_found'],
  }),
  diff: get(`${at}/diff`, {
    summary: 'Compare two versions of a routine',
    access: 'VIEWER',
    query: Type.Object({
      from: Type.Optional(Type.Integer({ description: 'The version before unless stated' })),
      to: Type.Optional(Type.Integer({ description: 'The newest unless stated' })),
    }),
    reply: Type.Object({
      from_version: Type.Integer(),
      to_version: Type.Integer(),
      identical: Type.Boolean(),
      unified_diff: Type.String({ description: 'Of both as YAML' }),
    }),
    throws: ['not_found'],
  }),
  export: get(`${at}/export`, {
    summary: 'Export a routine as a bundle that another workspace can import',
    access: 'VIEWER',
    query: Type.Object({
      include_history: Type.Optional(
        Type.Enum(['0', '1', 'true', 'false'], { description: 'With earlier versions, up to 8 MiB of them' }),
      ),
    }),
    reply: members('svc-routine-bundle/v1'),
    throws: ['not_found'],
  }),
  test: post(`${W}/pipelines/test_run`, {
    summary: 'Check a definition without effects, and get the token with which it can be saved',
    ...changing,
    capability: 'routine.create',
    status: 200,
    body: Type.Object({
      definition,
      sample_inputs: Type.Optional(members()),
      author_crew_id: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
    }),
    reply: Type.Object({
      ok: Type.Boolean(),
      status: Type.Enum(['DRY_RUN_OK', 'FAILED']),
      save_token: Type.Optional(Type.String({ description: 'For an hour, and for this definition' })),
      steps: Type.Array(DryStep),
      risk_reasons: Type.Array(Type.String()),
      error: Type.Optional(Type.String()),
    }),
    journal: false,
    throws: ['not_found', 'routine_invalid', 'invalid_field'],
    bodyLimit: definitionBody,
  }),
  save: post(`${W}/pipelines/save`, {
    summary: 'Save a routine: a new one, or a new version',
    ...changing,
    capability: 'routine.create',
    body: Type.Object({
      slug: RoutineSlug,
      definition,
      name: Type.Optional(nullable(line(100))),
      description: Type.Optional(nullable(prose(5000))),
      author_crew_id: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
      change_summary: Type.Optional(nullable(prose(2000))),
      save_token: Type.Optional(nullable(Type.String({ maxLength: 200, description: 'From test_run' }))),
      skip_test_gate: Type.Optional(Type.Boolean({ description: 'Save it without a test' })),
      skip_governance_gate: Type.Optional(
        Type.Boolean({ description: 'Let it run without approval; for ADMINs and above' }),
      ),
      expected_version: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Refused when another version is the newest; 0: there must be none' }),
      ),
    }),
    reply: Routine,
    journal: ['audit.entity_created', 'audit.entity_updated'],
    throws: [
      'not_found',
      'routine_invalid',
      'routine_untested',
      'routine_changed',
      'routines_full',
      'insufficient_role',
    ],
    bodyLimit: definitionBody,
  }),
  import: post(`${W}/pipelines/import`, {
    summary: 'Import a routine from a bundle; it waits for approval when it can do harm',
    ...changing,
    body: Type.Object({
      format: Type.Literal('svc-routine-bundle/v1'),
      pipeline: Type.Object({
        name: Type.Optional(Type.String({ maxLength: 200 })),
        description: Type.Optional(nullable(Type.String({ maxLength: 5000 }))),
        slug: RoutineSlug,
        dsl_version: Type.Optional(Type.String({ maxLength: 10 })),
        definition,
      }),
      history: Type.Optional(Type.Array(members(), { maxItems: 1000 })),
      metadata: Type.Optional(members()),
      author_crew_id: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
    }),
    reply: Routine,
    journal: ['audit.entity_created', 'audit.entity_updated'],
    throws: ['not_found', 'routine_invalid', 'routines_full'],
    bodyLimit: 16_777_216,
  }),
  appearance: patch(`${at}/appearance`, {
    summary: 'Change the icon and color of a routine',
    ...changing,
    body: Type.Object({
      icon: Type.Optional(nullable(line(50))),
      color: Type.Optional(nullable(Color)),
    }),
    reply: Routine,
    journal: ['audit.entity_updated'],
    entity: 'routine',
    throws: ['not_found', 'no_fields'],
  }),
  approve: post(`${at}/approve`, {
    summary: 'Let the newest version of a routine run',
    ...changing,
    status: 200,
    bodyOptional: true,
    body: Type.Object({ comment: Type.Optional(nullable(prose(2000))) }),
    reply: Slugged,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'routine_settled'],
  }),
  reject: post(`${at}/reject`, {
    summary: 'Refuse the newest version of a routine; what ran before goes on running',
    ...changing,
    status: 200,
    bodyOptional: true,
    body: Type.Object({ comment: Type.Optional(nullable(prose(2000))) }),
    reply: Slugged,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'routine_settled'],
  }),
  disable: post(`${at}/disable`, {
    summary: 'Disable a routine and cancel its runs',
    ...changing,
    access: 'ADMIN',
    status: 200,
    reply: Slugged,
    journal: ['audit.entity_updated', 'pipeline.run.cancelled', 'approval.cancelled'],
    throws: ['not_found', 'routine_settled'],
  }),
  enable: post(`${at}/enable`, {
    summary: 'Enable a routine that was disabled',
    ...changing,
    access: 'ADMIN',
    status: 200,
    reply: Slugged,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'routine_settled'],
  }),
  rollback: post(`${at}/rollback`, {
    summary: 'Go back to an earlier version of a routine, which becomes the newest one',
    ...changing,
    status: 200,
    body: Type.Object({
      version: Type.Optional(Type.Integer({ minimum: 1 })),
      target_version: Type.Optional(Type.Integer({ minimum: 1, description: 'As version' })),
    }),
    reply: Routine,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'missing_field', 'routine_settled'],
  }),
  remove: del(at, {
    summary: 'Delete a routine and cancel its runs; what ran stays on record',
    ...changing,
    access: 'ADMIN',
    journal: ['audit.entity_deleted', 'pipeline.run.cancelled', 'approval.cancelled'],
    throws: ['not_found'],
  }),
  run: post(`${at}/run`, {
    summary: 'Run a routine, now or later',
    ...changing,
    capability: 'routine.run',
    status: 200,
    bodyOptional: true,
    body: RunRequest,
    reply: RunReply,
    secrets: ['waitpoint_token'],
    journal: starts,
    throws: ['not_found', ...startRefusals, 'chain_too_deep', 'body_over_limit'],
  }),
  dryRun: post(`${at}/dry_run`, {
    summary: 'Show what a run of a routine would do, without doing it',
    ...changing,
    capability: 'routine.run',
    status: 200,
    bodyOptional: true,
    body: Type.Object({ inputs: Type.Optional(members()) }),
    reply: Type.Object({ status: Type.Literal('DRY_RUN_OK'), steps: Type.Array(DryStep) }),
    journal: ['pipeline.dry_run'],
    noDryRun: 'it is one itself',
    throws: ['not_found', 'invalid_inputs'],
  }),
  records: get(`${at}/run-records`, {
    summary: 'List the runs of a routine, newest first',
    access: 'VIEWER',
    query: Type.Object({
      limit: page.limit,
      status: Type.Optional(Type.Enum([...routineRunStatuses, ''])),
    }),
    reply: Type.Array(RoutineRun),
    throws: ['not_found'],
  }),
  history: get(`${at}/runs`, {
    summary: 'List what the journal tells of the runs of a routine, newest first',
    access: 'VIEWER',
    query: Type.Object({ limit: page.limit, include_steps: Type.Optional(Type.Enum(['0', '1', 'true', 'false'])) }),
    reply: Type.Array(HistoryEntry),
    throws: ['not_found'],
  }),
  runs: get(`${W}/pipeline-runs`, {
    summary: 'List the runs of all routines, newest first',
    access: 'VIEWER',
    query: Type.Object({
      status: Type.Optional(
        Type.Enum([...routineRunStatuses, 'active', ''], { description: 'active: queued, running or waiting' }),
      ),
      ...page,
    }),
    reply: Type.Object({ rows: Type.Array(RoutineRun), count: Type.Integer() }),
    throws: ['not_found'],
  }),
  active: get(`${W}/pipelines/runs/active`, {
    summary: 'List the runs of routines that are not over',
    access: 'VIEWER',
    reply: Type.Array(RoutineRun),
    throws: ['not_found'],
  }),
  result: get(`${W}/pipeline-runs/:routineRunId`, {
    summary: 'Show a run of a routine with its steps',
    access: 'VIEWER',
    query: Type.Object({
      io_step: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'Key of a step: its sub_spans have input and output too. One that has not begun adds nothing',
        }),
      ),
    }),
    reply: RunShown,
    throws: ['not_found'],
  }),
  tree: get(`${W}/pipeline-runs/:routineRunId/tree`, {
    summary: 'Show a run with its steps, the runs that they began, and what agents delegated in them',
    access: 'VIEWER',
    reply: RoutineTree,
    throws: ['not_found'],
  }),
  logs: get(`${W}/pipeline-runs/:routineRunId/logs`, {
    summary: 'Show what happened in a run of a routine and in the runs that it began, oldest first',
    access: 'VIEWER',
    query: limits,
    reply: Type.Array(Type.Object({ ts: Time, level: Type.String(), message: Type.String() })),
    throws: ['not_found'],
  }),
  cancel: post(`${W}/pipelines/runs/:routineRunId/cancel`, {
    summary: 'Cancel a run of a routine, wherever it is',
    ...changing,
    access: 'ADMIN',
    status: 200,
    reply: Type.Object({ run_id: Id, cancel_requested: Type.Boolean() }),
    journal: ['pipeline.run.cancelled', 'approval.cancelled'],
    throws: ['not_found'],
  }),
  replay: post(`${W}/pipelines/runs/:routineRunId/replay`, {
    summary: 'Run a routine once more with the inputs of an earlier run',
    ...changing,
    status: 200,
    bodyOptional: true,
    body: Type.Object({
      inputs: Type.Optional(members('Instead of those of that run')),
      from_step: Type.Optional(
        Type.String({ maxLength: 64, description: 'Keep what was done before this step and begin with it' }),
      ),
    }),
    reply: RunReply,
    secrets: ['waitpoint_token'],
    journal: starts,
    throws: ['not_found', ...startRefusals, 'invalid_field'],
  }),
  signal: post(`${W}/pipeline-runs/:routineRunId/signal`, {
    summary: 'Send an event to a run of a routine; kept for it when it does not wait for it yet',
    ...changing,
    status: 200,
    body: Type.Object({
      event_type: Type.String({ minLength: 1, maxLength: 100, pattern: '^[a-zA-Z0-9_.:-]+$' }),
      payload: Type.Optional(members()),
    }),
    reply: Type.Object({ delivered: Type.Integer(), kept: Type.Boolean() }),
    journal: ['pipeline.signal.sent'],
    throws: ['not_found', 'routine_run_over', 'body_over_limit'],
  }),
  broadcast: post(`${W}/signals`, {
    summary: 'Send an event to all runs of routines that wait for it',
    ...changing,
    status: 200,
    body: Type.Object({
      event_type: Type.String({ minLength: 1, maxLength: 100, pattern: '^[a-zA-Z0-9_.:-]+$' }),
      payload: Type.Optional(members()),
    }),
    reply: Type.Object({ delivered: Type.Integer() }),
    journal: ['pipeline.signal.sent'],
    throws: ['not_found', 'body_over_limit'],
  }),
  pending: get(`${W}/pipelines/pending`, {
    summary: 'List the runs of routines that begin later, the next one first',
    access: 'VIEWER',
    reply: Type.Array(Pending),
    throws: ['not_found'],
  }),
  cancelPending: post(`${W}/pipelines/pending/:pendingId/cancel`, {
    summary: 'Cancel a run of a routine before it begins',
    ...changing,
    status: 200,
    reply: Type.Object({ id: Id, status: Type.Literal('cancelled') }),
    journal: ['pipeline.pending.cancelled'],
    throws: ['not_found', 'routine_run_over'],
  }),
}
