import { adapters } from '#contract/adapters'
import { feature } from '#kernel/feature'
import { listAdapters } from './service.ts'

export default feature(adapters, (app) => ({ list: (call) => listAdapters(app, call) }))
