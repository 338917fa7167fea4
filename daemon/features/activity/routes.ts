import { basename } from 'node:path'
import { activity } from '#contract/activity'
import { feature, wished } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { findAgent } from '../agents/service.ts'
import { download, filesOf, logLines, settleStop, wishStop } from './service.ts'

export default feature(activity, (app) => ({
  stop: wished(
    (call) => wishStop(app, call),
    (call, runs) => settleStop(app, call, runs),
  ),
  logs: ({ actor, agentId, query }) => logLines(app, findAgent(app, actor.workspace, agentId), pageOf(query)),
  files: (call) => filesOf(app, call),
  download: async (call) => {
    const content = await download(app, call)
    const name = basename(call.query.path)
    const plain = name.replace(/[^\w.-]/g, '_')
    call.web.reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`)
    return content
  },
}))
