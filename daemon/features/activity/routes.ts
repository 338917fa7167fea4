import { activity } from '#contract/activity'
import { feature, wished } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { findAgent } from '../agents/service.ts'
import { logLines, settleStop, wishStop } from './service.ts'

export default feature(activity, (app) => ({
  stop: wished(
    (call) => wishStop(app, call),
    (call, runs) => settleStop(app, call, runs),
  ),
  logs: ({ actor, agentId, query }) => logLines(app, actor.id, findAgent(app, actor.workspace, agentId), pageOf(query)),
}))
