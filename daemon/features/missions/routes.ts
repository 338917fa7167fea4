import { missions } from '#contract/missions'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { feature, wished } from '#kernel/feature'
import { cancelOfCrew, clone, create, remove, restart, resume, start, update } from './changes/service.ts'
import { afterApproval, afterAssignment, keepConfidence, settleApproval, settleTask } from './engine/settling.ts'
import { sweepRegularly } from './jobs.ts'
import { plannedBy, settlePlan } from './planning/approvals.ts'
import { afterPlan, carryOn, plan, takePlan } from './planning/service.ts'
import { planSource } from './planning/source.ts'
import { propose, proposed } from './proposals/service.ts'
import { list, metrics, ofCrew, show } from './service.ts'
import { addTask, removeTask, updateTask } from './tasks/service.ts'

type Review = Happened<'approval.granted' | 'approval.denied' | 'approval.timeout' | 'approval.cancelled'>

const settles = { writes: ['orchestration.changed', 'approval.requested'], run: settleTask } as const
const plans = { writes: ['orchestration.changed', 'approval.requested'], run: takePlan } as const
const decides = {
  writes: ['orchestration.changed', 'orchestration.moved'],
  run(app: App, it: Review) {
    settleApproval(app, it)
    settlePlan(app, it)
  },
} as const

/** Goes on with what people decided about. */
async function afterReview(app: App, it: Review): Promise<void> {
  const id = plannedBy(it)
  if (id) await app.write(() => carryOn(app, id))
  else await afterApproval(app, it)
}

export default feature(
  missions,
  (app) => ({
    list: (call) => list(app, call),
    ofCrew: (call) => ofCrew(app, call),
    show: (call) => show(app, call),
    metrics: (call) => metrics(app, call),
    create: (call) => create(app, call),
    propose: wished(
      (call) => propose(app, call),
      (_call, id) => proposed(app, id),
    ),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
    start: (call) => start(app, call),
    restart: (call) => restart(app, call),
    resume: (call) => resume(app, call),
    clone: (call) => clone(app, call),
    plan: (call) => plan(app, call),
    addTask: (call) => addTask(app, call),
    updateTask: (call) => updateTask(app, call),
    removeTask: (call) => removeTask(app, call),
  }),
  {
    sources: { mission_plan: planSource },
    jobs: [sweepRegularly],
    on: {
      'assignment.completed': settles,
      'assignment.failed': settles,
      'assignment.cancelled': settles,
      'run.confidence': keepConfidence,
      'run.completed': plans,
      'run.failed': plans,
      'run.timeout': plans,
      'run.cancelled': plans,
      'approval.granted': decides,
      'approval.denied': decides,
      'approval.timeout': decides,
      'approval.cancelled': decides,
      'crew.deleted': {
        writes: ['orchestration.moved', 'assignment.cancelled', 'run.cancelled', 'approval.cancelled'],
        run: cancelOfCrew,
      },
    },
    after: {
      'assignment.completed': afterAssignment,
      'assignment.failed': afterAssignment,
      'assignment.cancelled': afterAssignment,
      'run.completed': afterPlan,
      'run.failed': afterPlan,
      'run.timeout': afterPlan,
      'run.cancelled': afterPlan,
      'approval.granted': afterReview,
      'approval.denied': afterReview,
      'approval.timeout': afterReview,
      'approval.cancelled': afterReview,
    },
  },
)
