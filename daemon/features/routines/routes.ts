import { definitionSchema } from '#contract/routine-definition'
import { routines } from '#contract/routines'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { feature, staged, wished } from '#kernel/feature'
import { openExpressionJobs } from './definitions/long.ts'
import { readDefinition } from './definitions/reading.ts'
import { endAll } from './endings/service.ts'
import { driveRoutines, forgetKeys } from './engine/jobs.ts'
import { queries } from './engine/queries.ts'
import { forIssues } from './issues/service.ts'
import { firePending, forgetPending } from './pending/jobs.ts'
import { cancelPending, dropOfWorkspace, dropPending, list as pending } from './pending/service.ts'
import { active, begin, cancel, history, outcome, records, replay, result, runs } from './records/service.ts'
import {
  appearance,
  approve,
  disable,
  enable,
  importBundle,
  list,
  reject,
  remove,
  rollback,
  save,
  show,
} from './service.ts'
import { broadcast, signal } from './signals/service.ts'
import { routineSource } from './source.ts'
import { dryRun, test } from './testing/service.ts'
import { logs, tree } from './tree/service.ts'
import { openPatchJobs } from './versions/patches.ts'
import { diff, exportBundle, version, versions } from './versions/service.ts'

type EndedRun = Happened<'run.completed' | 'run.failed' | 'run.cancelled' | 'run.timeout'>
type Decided = Happened<'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.orphaned'>

/** The end of an agent's run may be what a step waits for. */
function afterRun(app: App, { about }: EndedRun): void {
  const step = about.trace_id ? queries(app.db).stepOfAgentRun.get(about.trace_id) : undefined
  if (step) app.bus.emit('routine', step.run_id)
}

function afterDecision(app: App, { payload }: Decided): void {
  const step = payload.kind === 'waitpoint' ? queries(app.db).stepOfWaitpoint.get(payload.approval_id) : undefined
  if (step) app.bus.emit('routine', step.run_id)
}

const waited = (app: App) => app.stopping.signal

export default feature(
  routines,
  (app) => {
    app.reads.provide(openExpressionJobs)
    app.reads.provide(openPatchJobs)
    return {
      schema: () => definitionSchema,
      list: (call) => list(app, call),
      show: (call) => show(app, call),
      versions: (call) => versions(app, call),
      version: (call) => version(app, call),
      diff: (call) => diff(app, call),
      export: (call) => exportBundle(app, call),
      test: (call) => test(app, call),
      save: staged(
        (call) => readDefinition(app, call.body.definition),
        (call, checked) => save(app, call, checked),
      ),
      import: staged(
        (call) => readDefinition(app, call.body.pipeline.definition),
        (call, checked) => importBundle(app, call, checked),
      ),
      appearance: (call) => appearance(app, call),
      approve: (call) => approve(app, call),
      reject: (call) => reject(app, call),
      disable: (call) => disable(app, call),
      enable: (call) => enable(app, call),
      rollback: (call) => rollback(app, call),
      remove: (call) => remove(app, call),
      run: wished(
        (call) => begin(app, call),
        (call, begun) => outcome(app, call.actor, begun, waited(app)),
      ),
      dryRun: (call) => dryRun(app, call),
      records: (call) => records(app, call),
      history: (call) => history(app, call),
      runs: (call) => runs(app, call),
      active: (call) => active(app, call),
      result: (call) => result(app, call),
      tree: (call) => tree(app, call),
      logs: (call) => logs(app, call),
      cancel: (call) => cancel(app, call),
      replay: wished(
        (call) => replay(app, call),
        (call, begun) => outcome(app, call.actor, begun, waited(app)),
      ),
      signal: (call) => signal(app, call),
      broadcast: (call) => broadcast(app, call),
      pending: (call) => pending(app, call),
      cancelPending: (call) => cancelPending(app, call),
    }
  },
  {
    jobs: [driveRoutines, firePending, forgetKeys, forgetPending],
    sources: { routine: routineSource },
    routines: forIssues,
    on: {
      'routine.deleted': dropPending,
      'routine.disabled': dropPending,
      'workspace.deleted': {
        writes: ['routine_run.cancelled', 'approval.orphaned', 'run.cancelled', 'agent.status_change'],
        run(app, it) {
          dropOfWorkspace(app, it)
          endAll(app, it)
        },
      },
    },
    after: {
      'run.completed': afterRun,
      'run.failed': afterRun,
      'run.cancelled': afterRun,
      'run.timeout': afterRun,
      'approval.granted': afterDecision,
      'approval.denied': afterDecision,
      'approval.timeout': afterDecision,
      'approval.orphaned': afterDecision,
    },
  },
)
