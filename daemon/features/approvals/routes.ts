import { approvals } from '#contract/approvals'
import { feature } from '#kernel/feature'
import { cancel, decide, list, show } from './service.ts'

export default feature(approvals, (app) => ({
  list: (call) => list(app, call),
  show: (call) => show(app, call),
  decide: (call) => decide(app, call),
  cancel: (call) => cancel(app, call),
}))
