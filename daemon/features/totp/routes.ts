import { totp } from '#contract/totp'
import { feature, staged } from '#kernel/feature'
import { comparePassword, remove, renew, show } from './service.ts'
import { confirm, start } from './setup.ts'

export default feature(totp, (app) => ({
  show: (call) => show(app, call),
  start: staged(
    ({ actor, body }) => comparePassword(app, actor.id, body?.password),
    (call, compared) => start(app, call, compared),
  ),
  confirm: (call) => confirm(app, call),
  renew: (call) => renew(app, call),
  remove: staged(
    ({ actor, body }) => comparePassword(app, actor.id, body.password),
    (call, compared) => remove(app, call, compared),
  ),
}))
