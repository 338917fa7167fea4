import { notifications } from '#contract/notifications'
import { feature } from '#kernel/feature'
import {
  added,
  asked,
  assigned,
  channelPaused,
  commented,
  escalated,
  joined,
  moved,
  opened,
  requested,
  roleChanged,
  routineCompleted,
  routineFailed,
  runFailed,
  scheduleMissed,
  stepSkipped,
} from './events/service.ts'
import { count, drop, forgetOld, leave, list, read, readAll, remove } from './feed/service.ts'

/** What channels do not take is recorded. */
const writes = ['notification.dropped'] as const

export default feature(
  notifications,
  (app) => ({
    list: (call) => list(app, call),
    count: (call) => count(app, call),
    read: (call) => read(app, call),
    readAll: (call) => readAll(app, call),
    remove: (call) => remove(app, call),
  }),
  {
    jobs: [forgetOld],
    on: {
      'mission.assigned': { writes, run: assigned },
      'mission.comment': { writes, run: commented },
      'workspace_member.created': added,
      'workspace_member.updated': roleChanged,
      'workspace_member.deleted': leave,
      'invitation.accepted': joined,
      'approval.requested': { writes, run: requested },
      'peer.escalation': { writes, run: escalated },
      'run.parked': { writes, run: asked },
      'run.failed': { writes, run: runFailed },
      'run.timeout': { writes, run: runFailed },
      'mission.created': { writes, run: opened },
      'mission.status_change': { writes, run: moved },
      'routine_run.completed': { writes, run: routineCompleted },
      'routine_step.skipped': { writes, run: stepSkipped },
      'schedule.missed': { writes, run: scheduleMissed },
      'schedule.tripped': { writes, run: scheduleMissed },
      'notification_channel.paused': channelPaused,
      'routine_run.failed': { writes, run: routineFailed },
      'workspace.deleted': drop,
    },
  },
)
