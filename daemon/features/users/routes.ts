import { users } from '#contract/users'
import { feature } from '#kernel/feature'
import { find, update } from './service.ts'

export default feature(users, (app) => ({
  me: ({ actor }) => find(app, actor.id),
  update: (call) => update(app, call),
}))
