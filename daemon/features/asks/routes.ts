import { asks } from '#contract/asks'
import { feature } from '#kernel/feature'
import { park } from './service.ts'

export default feature(asks, (app) => ({
  park: (call) => park(app, call),
}))
