import { waitpoints } from '#contract/waitpoints'
import { feature } from '#kernel/feature'
import { approve, callback, list } from './service.ts'

export default feature(waitpoints, (app) => ({
  list: (call) => list(app, call),
  approve: (call) => approve(app, call),
  callback: (call) => callback(app, call),
}))
