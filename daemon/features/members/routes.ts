import { members } from '#contract/members'
import { feature } from '#kernel/feature'
import { list } from './service.ts'

export default feature(members, (app) => ({
  list: (call) => list(app, call),
}))
