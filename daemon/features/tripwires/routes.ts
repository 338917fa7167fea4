import { tripwires } from '#contract/tripwires'
import { feature } from '#kernel/feature'
import { list, plant, rearm, remove, show } from './service.ts'

export default feature(tripwires, (app) => ({
  list: (call) => list(app, call),
  show: (call) => show(app, call),
  plant: (call) => plant(app, call),
  rearm: (call) => rearm(app, call),
  remove: (call) => remove(app, call),
}))
