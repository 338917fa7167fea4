import { checkpoints } from '#contract/checkpoints'
import { feature, wished } from '#kernel/feature'
import { beginRewind, changesSince, differenceSince, rewound } from './rewinds/service.ts'
import { create, created, fork, forkOfMission, leaveMission, list, remove, restore, show } from './service.ts'

export default feature(
  checkpoints,
  (app) => ({
    list: (call) => list(app, call),
    create: wished(
      (call) => create(app, call),
      (_call, row) => created(app, row),
    ),
    show: (call) => show(app, call),
    restore: (call) => restore(app, call),
    fork: (call) => fork(app, call),
    forkMission: (call) => forkOfMission(app, call),
    files: (call) => changesSince(app, call),
    diff: (call) => differenceSince(app, call),
    rewind: wished(
      (call) => beginRewind(app, call),
      (_call, row) => rewound(app, row),
    ),
    remove: (call) => remove(app, call),
  }),
  { on: { 'mission.status_change': leaveMission, 'orchestration.changed': leaveMission } },
)
