import { automations } from '#contract/automations'
import { feature } from '#kernel/feature'
import { matchEntries } from './matching/service.ts'
import { preview } from './preview/service.ts'
import { create, dropAll, list, remove, update } from './service.ts'

export default feature(
  automations,
  (app) => ({
    list: (call) => list(app, call),
    create: (call) => create(app, call),
    update: (call) => update(app, call),
    remove: (call) => remove(app, call),
    preview: (call) => preview(app, call),
  }),
  { jobs: [matchEntries], on: { 'workspace.deleted': dropAll } },
)
