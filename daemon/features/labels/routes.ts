import { labels } from '#contract/labels'
import { feature } from '#kernel/feature'
import { create, list, remove, update } from './service.ts'

export default feature(labels, (app) => ({
  list: (call) => list(app, call),
  create: (call) => create(app, call),
  update: (call) => update(app, call),
  remove: (call) => remove(app, call),
}))
