import { notificationPreferences } from '#contract/preferences'
import { feature } from '#kernel/feature'
import { drop, leave, list, set } from './service.ts'

export default feature(
  notificationPreferences,
  (app) => ({
    notifications: (call) => list(app, call),
    setNotifications: (call) => set(app, call),
  }),
  { on: { 'workspace_member.deleted': leave, 'workspace.deleted': drop } },
)
