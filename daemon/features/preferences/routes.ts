import { preferences } from '#contract/preferences'
import { feature } from '#kernel/feature'
import { list, remove, set } from './service.ts'

export default feature(preferences, (app) => ({
  list: ({ actor, web }) => {
    web.reply.type('application/json')
    return list(app, actor.id)
  },
  set: (call) => set(app, call),
  remove: (call) => remove(app, call),
}))
