import { assignments } from '#contract/assignments'
import { feature } from '#kernel/feature'
import { create } from './creating/service.ts'
import { afterAssignment, afterRun, forgetChat } from './deliveries/service.ts'
import { leaveAgent, leaveStopped, settleRun } from './endings/service.ts'
import { sweepRegularly } from './jobs.ts'
import { settleReview } from './queue/service.ts'
import { results } from './results/service.ts'
import { cancel, list, show } from './service.ts'
import { assignmentSource } from './source.ts'

const completed = { writes: ['assignment.completed'], run: settleRun } as const
const failed = { writes: ['assignment.failed'], run: settleRun } as const
const cancelled = { writes: ['assignment.cancelled'], run: settleRun } as const
const admits = {
  writes: ['assignment.queued', 'assignment.running', 'assignment.failed', 'run.started', 'agent.status_change'],
  run: settleReview,
} as const
const denies = { writes: ['assignment.cancelled'], run: settleReview } as const

export default feature(
  assignments,
  (app) => ({
    list: (call) => list(app, call),
    show: (call) => show(app, call),
    cancel: (call) => cancel(app, call),
    create: (call) => create(app, call),
    results: (call) => results(app, call),
  }),
  {
    sources: { assignment: assignmentSource },
    jobs: [sweepRegularly],
    on: {
      'run.completed': completed,
      'run.failed': failed,
      'run.timeout': failed,
      'run.cancelled': cancelled,
      'agent.deleted': { writes: ['assignment.cancelled', 'run.cancelled'], run: leaveAgent },
      'crew.stop_requested': { writes: ['assignment.cancelled'], run: leaveStopped },
      'chat.deleted': forgetChat,
      'approval.granted': admits,
      'approval.denied': denies,
      'approval.timeout': denies,
      'approval.cancelled': denies,
    },
    after: {
      'run.completed': afterRun,
      'run.failed': afterRun,
      'run.timeout': afterRun,
      'run.cancelled': afterRun,
      'assignment.completed': afterAssignment,
      'assignment.failed': afterAssignment,
      'assignment.cancelled': afterAssignment,
    },
  },
)
