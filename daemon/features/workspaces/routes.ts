import { workspaces } from '#contract/workspaces'
import { feature } from '#kernel/feature'
import { remove, tellRemoved } from './removal/service.ts'
import { create, list, show, update } from './service.ts'

export default feature(
  workspaces,
  (app) => ({
    list: (call) => list(app, call),
    create: (call) => create(app, call),
    show: ({ actor }) => show(app, actor),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
  }),
  {
    after: { 'workspace.deleted': tellRemoved },
    channels: { workspace: (_, id) => id, keeper: (_, id) => id },
  },
)
