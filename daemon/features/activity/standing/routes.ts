import { agentStanding } from '#contract/agent-standing'
import { feature } from '#kernel/feature'
import { debug, inbox } from './service.ts'

export default feature(agentStanding, (app) => ({
  inbox: (call) => inbox(app, call),
  debug: (call) => debug(app, call),
}))
