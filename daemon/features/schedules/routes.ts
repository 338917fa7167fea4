import type { FactName } from '#contract/entries'
import { schedules } from '#contract/schedules'
import { feature } from '#kernel/feature'
import { afterRun } from './beginning/service.ts'
import { beginScheduled } from './jobs.ts'
import { create, dropAll, leaveRoutine, list, remove, run, update } from './service.ts'

const writes: readonly FactName[] = ['routine_run.started', 'schedule.tripped']
const ended = { writes, run: afterRun }

export default feature(
  schedules,
  (app) => ({
    list: (call) => list(app, call),
    create: (call) => create(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
    run: (call) => run(app, call),
  }),
  {
    jobs: [beginScheduled],
    on: {
      'routine_run.completed': ended,
      'routine_run.failed': ended,
      'routine_run.cancelled': ended,
      'routine.deleted': leaveRoutine,
      'workspace.deleted': dropAll,
    },
  },
)
