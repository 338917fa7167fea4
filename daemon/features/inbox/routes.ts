import { inbox } from '#contract/inbox'
import { allows } from '#contract/roles'
import { feature } from '#kernel/feature'
import { clearNotices, noticeEnd } from './replies/service.ts'
import { bulk, count, handOver, list, purge, show, update } from './service.ts'

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
      'workspace_member.updated': (app, { payload: { metadata }, about }) => {
        if (!allows('MEMBER', metadata.role)) handOver(app, about.workspace_id!, metadata.user_id)
      },
      'workspace_member.deleted': (app, { payload, about }) =>
        handOver(app, about.workspace_id!, payload.metadata.user_id),
      'chat.deleted': clearNotices,
      'run.completed': noticeEnd,
      'run.failed': noticeEnd,
      'run.cancelled': noticeEnd,
      'run.timeout': noticeEnd,
    },
  },
)
