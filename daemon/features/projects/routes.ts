import { projects } from '#contract/projects'
import { feature } from '#kernel/feature'
import { leaveAgent, leaveMember } from './leaving/service.ts'
import { create, list, remove, show, update } from './service.ts'
import { stats } from './stats/service.ts'

export default feature(
  projects,
  (app) => ({
    list: (call) => list(app, call),
    create: (call) => create(app, call),
    show: (call) => show(app, call),
    stats: (call) => stats(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
  }),
  { on: { 'agent.deleted': leaveAgent, 'workspace_member.deleted': leaveMember } },
)
