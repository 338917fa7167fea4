import { registry } from '#contract/registry'
import { feature } from '#kernel/feature'
import { list, search } from './service.ts'
import { keepSynced } from './syncs/jobs.ts'
import { startSync } from './syncs/service.ts'

export default feature(
  registry,
  (app) => ({
    list: (call) => list(app, call),
    search: (call) => search(app, call),
    sync: (call) => startSync(app, call),
  }),
  { jobs: [keepSynced] },
)
