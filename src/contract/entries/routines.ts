import { Type } from 'typebox'
import { audit, audits, Changed, entry } from './define.ts'
import { named, quoted } from './quote.ts'

const maybe = Type.Optional(Type.String())
const Versioned = Type.Object({ version: Type.Integer(), risk_reasons: Type.Optional(Type.Array(Type.String())) })

const OfRun = {
  run_id: Type.String(),
  pipeline_id: Type.String(),
  pipeline_slug: Type.String(),
  triggered_via: Type.String(),
  triggered_by_id: maybe,
}
const OfStep = { run_id: Type.String(), pipeline_slug: Type.String(), step_id: Type.String(), step_type: Type.String() }

const because = (reason: string | undefined) => (reason ? `: ${quoted(reason)}` : '')
const changed = (action: string) => ({ action })

/** Routines, their versions, and what their runs do. docs/routines.md. */
export const routineFacts = {
  ...audits('routine', 'The routine'),
  'routine.saved': audit(
    'audit.entity_updated',
    'routine',
    Versioned,
    ({ name, metadata }, { person }) => `${person} saved version ${metadata.version} of the routine ${named(name)}`,
    changed('routine.saved'),
  ),
  'routine.approved': audit(
    'audit.entity_updated',
    'routine',
    Versioned,
    ({ name, metadata }, { person }) => `${person} approved version ${metadata.version} of the routine ${named(name)}`,
    changed('routine.approved'),
  ),
  'routine.rejected': audit(
    'audit.entity_updated',
    'routine',
    Versioned,
    ({ name, metadata }, { person }) => `${person} refused version ${metadata.version} of the routine ${named(name)}`,
    changed('routine.rejected'),
  ),
  'routine.disabled': audit(
    'audit.entity_updated',
    'routine',
    Changed,
    ({ name }, { person }) => `${person} disabled the routine ${named(name)}`,
    changed('routine.disabled'),
  ),
  'routine.enabled': audit(
    'audit.entity_updated',
    'routine',
    Changed,
    ({ name }, { person }) => `${person} enabled the routine ${named(name)}`,
    changed('routine.enabled'),
  ),
  'routine_run.started': entry(
    'pipeline.run.started',
    'info',
    Type.Object({ ...OfRun, version: Type.Integer(), chain_depth: Type.Integer() }),
    ({ pipeline_slug, triggered_via }) => `The routine ${named(pipeline_slug)} began (${triggered_via})`,
  ),
  'routine_run.completed': entry(
    'pipeline.run.completed',
    'info',
    Type.Object({ ...OfRun, duration_ms: Type.Integer(), cost_usd: Type.Number() }),
    ({ pipeline_slug }) => `The routine ${named(pipeline_slug)} was completed`,
  ),
  'routine_run.failed': entry(
    'pipeline.run.failed',
    'error',
    Type.Object({
      ...OfRun,
      duration_ms: Type.Integer(),
      cost_usd: Type.Number(),
      step_id: maybe,
      error_message: maybe,
      interrupted: Type.Optional(Type.Boolean()),
    }),
    ({ pipeline_slug, step_id, error_message }) =>
      `The routine ${named(pipeline_slug)} failed${step_id ? ` at ${quoted(step_id)}` : ''}${because(error_message)}`,
  ),
  'routine_run.cancelled': entry(
    'pipeline.run.cancelled',
    'info',
    Type.Object({ ...OfRun, reason: maybe }),
    ({ pipeline_slug, reason }, { person }) =>
      `A run of the routine ${named(pipeline_slug)} was cancelled by ${person}${because(reason)}`,
  ),
  'pending_run.cancelled': entry(
    'pipeline.pending.cancelled',
    'info',
    Type.Object({ pending_id: Type.String(), pipeline_id: Type.String(), pipeline_slug: Type.String() }),
    ({ pipeline_slug }, { person }) =>
      `${person} cancelled a run of the routine ${named(pipeline_slug)} that had not begun`,
  ),
  'routine_step.started': entry(
    'pipeline.step.started',
    'info',
    Type.Object({ ...OfStep, attempt: Type.Integer(), agent_run_id: maybe, child_run_id: maybe }),
    ({ pipeline_slug, step_id }) => `The step ${quoted(step_id)} of the routine ${named(pipeline_slug)} began`,
  ),
  'routine_step.completed': entry(
    'pipeline.step.completed',
    'info',
    Type.Object({ ...OfStep, duration_ms: Type.Integer(), cost_usd: Type.Optional(Type.Number()) }),
    ({ pipeline_slug, step_id }) => `The step ${quoted(step_id)} of the routine ${named(pipeline_slug)} was completed`,
  ),
  'routine_step.skipped': entry(
    'pipeline.step.skipped',
    'info',
    Type.Object(OfStep),
    ({ pipeline_slug, step_id }) => `The step ${quoted(step_id)} of the routine ${named(pipeline_slug)} was left out`,
  ),
  'routine_step.failed': entry(
    'pipeline.step.failed',
    'error',
    Type.Object({ ...OfStep, duration_ms: Type.Integer(), error_message: Type.String() }),
    ({ pipeline_slug, step_id, error_message }) =>
      `The step ${quoted(step_id)} of the routine ${named(pipeline_slug)} failed${because(error_message)}`,
  ),
  'routine_step.retrying': entry(
    'pipeline.step.retrying',
    'warn',
    Type.Object({ ...OfStep, attempt: Type.Integer(), error_message: Type.String(), wake_at: Type.String() }),
    ({ pipeline_slug, step_id, error_message }) =>
      `The step ${quoted(step_id)} of the routine ${named(pipeline_slug)} is tried again${because(error_message)}`,
  ),
  'routine_step.invalid': entry(
    'pipeline.step.validation_failed',
    'warn',
    Type.Object({ ...OfStep, error_message: Type.String() }),
    ({ pipeline_slug, step_id, error_message }) =>
      `The step ${quoted(step_id)} of the routine ${named(pipeline_slug)} gave what is not valid` +
      because(error_message),
  ),
  'routine_step.container_ready': entry(
    'pipeline.step.container_ready',
    'info',
    Type.Object({ ...OfStep, attempt: Type.Integer() }),
    ({ pipeline_slug, step_id }) =>
      `The container for the step ${quoted(step_id)} of the routine ${named(pipeline_slug)} is ready`,
  ),
  'routine.dry_run': entry(
    'pipeline.dry_run',
    'info',
    Type.Object({
      pipeline_id: Type.String(),
      pipeline_slug: Type.String(),
      version: Type.Integer(),
      steps: Type.Integer(),
    }),
    ({ pipeline_slug }, { person }) => `${person} looked at what the routine ${named(pipeline_slug)} would do`,
  ),
  'routine_runs.swept': entry(
    'pipeline.runs_swept',
    'info',
    Type.Object({ resumed: Type.Integer(), interrupted: Type.Integer() }),
    ({ resumed, interrupted }) =>
      `Muster started and went on with ${resumed === 1 ? 'one run' : `${resumed} runs`} of routines` +
      (interrupted ? `; ${interrupted} could not go on` : ''),
  ),
  'routine_signal.sent': entry(
    'pipeline.signal.sent',
    'info',
    Type.Object({ event_type: Type.String(), run_id: maybe, delivered: Type.Integer() }),
    ({ event_type, delivered }, { person }) =>
      `${person} sent the event ${quoted(event_type)} to ${delivered === 1 ? 'one run' : `${delivered} runs`}`,
  ),
}
