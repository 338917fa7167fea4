import { agentSends } from '#contract/agent-sends'
import { feature, staged } from '#kernel/feature'
import { commit, list, mine, prepare } from './service.ts'

export default feature(agentSends, (app) => ({
  openTo: (call) => list(app, call),
  mine: (call) => mine(app, call),
  send: staged(
    (call) => prepare(app, call),
    (call, sent) => commit(app, call, sent),
  ),
}))
