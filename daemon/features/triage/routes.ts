import { triage } from '#contract/triage'
import { feature, settled } from '#kernel/feature'
import { begin, finish, match } from './processing.ts'
import { create, leaveAgent, leaveCrew, leaveProject, list, remove, update } from './service.ts'

export default feature(
  triage,
  (app) => ({
    list: (call) => list(app, call),
    create: (call) => create(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
    process: settled({
      prepare: (call) => match(app, call),
      commit: (call, found) => begin(app, call, found),
      settle: (call, done, found) => finish(app, call, done, found),
    }),
  }),
  { on: { 'crew.deleted': leaveCrew, 'agent.deleted': leaveAgent, 'project.deleted': leaveProject } },
)
