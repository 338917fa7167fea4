import { collisions } from '#contract/collisions'
import { feature } from '#kernel/feature'
import { list, watch } from './service.ts'

export default feature(collisions, (app) => ({
  list: (call) => list(app, call),
  watch: (call) => watch(app, call),
}))
