import { collisions } from '#contract/collisions'
import { feature } from '#kernel/feature'
import { list, tellAgents, watch } from './service.ts'

export default feature(
  collisions,
  (app) => ({
    list: (call) => list(app, call),
    watch: (call) => watch(app, call),
  }),
  { on: { 'files.collision': tellAgents } },
)
