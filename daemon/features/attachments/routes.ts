import { attachments } from '#contract/attachments'
import { feature, staged, wished } from '#kernel/feature'
import { clearGone, clearLater, sweepHourly } from './clearing.ts'
import { leaveAgent, leaveChat, leaveWorkspace, listAttachments, publish, removeAttachment, takeIn } from './service.ts'

export default feature(
  attachments,
  (app) => ({
    list: (call) => listAttachments(app, call),
    create: staged(
      (call) => takeIn(app, call),
      (call, delivered) => publish(app, call, delivered),
    ),
    remove: wished(
      (call) => removeAttachment(app, call),
      () => clearGone(app).then(() => undefined),
    ),
  }),
  {
    jobs: [sweepHourly],
    on: {
      'chat.deleted': (app, { payload }) => leaveChat(app, payload.entity_id),
      'agent.deleted': (app, { payload }) => leaveAgent(app, payload.entity_id),
      'workspace.deleted': (app, { payload }) => leaveWorkspace(app, payload.entity_id),
    },
    after: {
      'chat.deleted': clearLater,
      'agent.deleted': clearLater,
      'workspace.deleted': clearLater,
    },
  },
)
