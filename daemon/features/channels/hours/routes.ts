import { notificationHours } from '#contract/preferences'
import { feature } from '#kernel/feature'
import { set, show } from './service.ts'

export default feature(notificationHours, (app) => ({
  hours: (call) => show(app, call),
  setHours: (call) => set(app, call),
}))
