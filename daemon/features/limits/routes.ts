import { limits } from '#contract/limits'
import { feature } from '#kernel/feature'
import { applyStored, list, reset, set } from './service.ts'

export default feature(limits, (app) => {
  applyStored(app)
  return {
    list: ({ actor }) => list(app, actor),
    set: (call) => set(app, call),
    reset: (call) => reset(app, call),
  }
})
