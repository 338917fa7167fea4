import { notifications } from '#contract/notifications'
import { feature } from '#kernel/feature'
import {
  added,
  asked,
  assigned,
  commented,
  escalated,
  joined,
  requested,
  roleChanged,
  routineFailed,
  runFailed,
} from './events/service.ts'
import { count, drop, forgetOld, leave, list, read, readAll, remove } from './feed/service.ts'

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
      'mission.assigned': assigned,
      'mission.comment': commented,
      'workspace_member.created': added,
      'workspace_member.updated': roleChanged,
      'workspace_member.deleted': leave,
      'invitation.accepted': joined,
      'approval.requested': requested,
      'peer.escalation': escalated,
      'run.parked': asked,
      'run.failed': runFailed,
      'run.timeout': runFailed,
      'routine_run.failed': routineFailed,
      'workspace.deleted': drop,
    },
  },
)
