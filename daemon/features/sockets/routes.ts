import { sockets } from '#contract/sockets'
import { feature } from '#kernel/feature'
import { issueSocketToken } from '../../streams/ws/token.ts'

export default feature(sockets, (app) => ({
  token: async ({ actor }) => ({ token: await issueSocketToken(app, actor) }),
}))
