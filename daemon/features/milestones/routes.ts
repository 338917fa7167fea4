import { milestones } from '#contract/milestones'
import { feature } from '#kernel/feature'
import { create, list, remove, removeOfProject, update } from './service.ts'

export default feature(
  milestones,
  (app) => ({
    list: (call) => list(app, call),
    create: (call) => create(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
  }),
  { on: { 'project.deleted': { writes: ['milestone.deleted'], run: removeOfProject } } },
)
