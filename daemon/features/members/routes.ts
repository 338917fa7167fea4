import { members } from '#contract/members'
import { feature } from '#kernel/feature'
import { provision } from './provisioning/service.ts'
import { add, remove, transfer, update } from './roster/service.ts'
import { dissolve, list } from './service.ts'

export default feature(
  members,
  (app) => ({
    list: (call) => list(app, call),
    add: (call) => add(app, call),
    provision: (call) => provision(app, call),
    update: (call) => update(app, call),
    transfer: (call) => transfer(app, call),
    remove: (call) => remove(app, call),
  }),
  { on: { 'workspace.deleted': (app, { payload }) => dissolve(app, payload.entity_id) } },
)
