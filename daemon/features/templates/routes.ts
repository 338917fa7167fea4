import { templates } from '#contract/templates'
import { feature } from '#kernel/feature'
import { drop, forgetChannel, list, remove, set } from './service.ts'

export default feature(
  templates,
  (app) => ({
    notifications: (call) => list(app, call),
    setNotification: (call) => set(app, call),
    removeNotification: (call) => remove(app, call),
  }),
  { on: { 'notification_channel.deleted': forgetChannel, 'workspace.deleted': drop } },
)
