import { inbox } from '#contract/inbox'
import { feature } from '#kernel/feature'
import { noticeEnd } from './replies/service.ts'
import { bulk, count, list, purge, show, update } from './service.ts'

export default feature(
  inbox,
  (app) => ({
    list: (call) => list(app, call),
    count: (call) => count(app, call),
    show: (call) => show(app, call),
    update: (call) => update(app, call),
    bulk: (call) => bulk(app, call),
    purge: (call) => purge(app, call),
  }),
  {
    on: {
      'run.completed': noticeEnd,
      'run.failed': noticeEnd,
      'run.cancelled': noticeEnd,
      'run.timeout': noticeEnd,
    },
  },
)
