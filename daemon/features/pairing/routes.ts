import { pairing } from '#contract/pairing'
import { feature } from '#kernel/feature'
import { poll, redeem, start } from './service.ts'

export default feature(pairing, (app) => ({
  start: (call) => app.write(() => start(app, call)),
  poll: (call) => poll(app, call),
  redeem: (call) => redeem(app, call),
}))
