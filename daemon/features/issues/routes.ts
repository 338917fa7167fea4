import { issues } from '#contract/issues'
import { feature, wished } from '#kernel/feature'
import { notePark, tellResumed } from './answers/service.ts'
import { bulk, create, remove, review, update } from './changes/service.ts'
import { comments } from './comments/service.ts'
import { afterRoutine, afterRun, settleRegularly } from './endings/service.ts'
import { dropLabel, leaveAgent, leaveMember, leaveMilestone, leaveProject, leaveRoutine } from './leaving/service.ts'
import { relate, relations, unrelate } from './relations/service.ts'
import { runs } from './runs/service.ts'
import { comment } from './saying/service.ts'
import { activity, findAny, list, ofCrew, show, subtasks } from './service.ts'
import { settleStop, start, wishStop } from './work/service.ts'

const ended = { writes: ['mission.status_change', 'mission.comment'], run: afterRun } as const
const done = { writes: ['mission.status_change'], run: afterRoutine } as const

export default feature(
  issues,
  (app) => ({
    list: (call) => list(app, call),
    find: (call) => findAny(app, call),
    ofCrew: (call) => ofCrew(app, call),
    show: (call) => show(app, call),
    create: (call) => create(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
    bulk: (call) => bulk(app, call),
    review: (call) => review(app, call),
    start: (call) => start(app, call),
    stop: wished(
      (call) => wishStop(app, call),
      (_, stopped) => settleStop(app, stopped),
    ),
    runs: (call) => runs(app, call),
    subtasks: (call) => subtasks(app, call),
    activity: (call) => activity(app, call),
    comments: (call) => comments(app, call),
    comment: (call) => comment(app, call),
    relations: (call) => relations(app, call),
    relate: (call) => relate(app, call),
    unrelate: (call) => unrelate(app, call),
  }),
  {
    jobs: [settleRegularly],
    on: {
      'project.deleted': leaveProject,
      'milestone.deleted': leaveMilestone,
      'routine.deleted': leaveRoutine,
      'label.deleted': dropLabel,
      'agent.deleted': leaveAgent,
      'workspace_member.deleted': leaveMember,
      'run.parked': notePark,
      'run.resumed': tellResumed,
      'run.completed': ended,
      'run.failed': ended,
      'run.timeout': ended,
      'run.cancelled': ended,
      'routine_run.completed': done,
      'routine_run.failed': done,
      'routine_run.cancelled': done,
    },
  },
)
