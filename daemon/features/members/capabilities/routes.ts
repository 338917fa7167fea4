import { memberCapabilities } from '#contract/member-capabilities'
import { feature } from '#kernel/feature'
import { listHeld, setHeld, showHeld } from './service.ts'

export default feature(memberCapabilities, (app) => ({
  capabilities: (call) => listHeld(app, call),
  showCapabilities: (call) => showHeld(app, call),
  setCapabilities: (call) => setHeld(app, call),
}))
