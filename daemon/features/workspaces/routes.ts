import { workspaces } from '#contract/workspaces'
import { feature } from '#kernel/feature'
import { create, list, show } from './service.ts'

export default feature(workspaces, (app) => ({
  list: (call) => list(app, call),
  create: (call) => create(app, call),
  show: ({ actor }) => show(app, actor),
}))
