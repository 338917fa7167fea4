import { models } from '#contract/models'
import { feature } from '#kernel/feature'
import { listModels } from './service.ts'

export default feature(models, (app) => ({ list: (call) => listModels(app, call) }))
