import { audit } from '#contract/audit'
import { feature } from '#kernel/feature'
import { openAuditJobs } from './find.ts'
import { list } from './service.ts'

/** What was changed and by whom, as the journal tells it. */
export default feature(audit, (app) => {
  app.reads.provide(openAuditJobs)
  return { list: (call) => list(app, call) }
})
