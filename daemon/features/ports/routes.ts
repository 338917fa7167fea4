import { ports } from '#contract/ports'
import { feature, staged } from '#kernel/feature'
import { expirePorts } from './jobs.ts'
import { expose, list, reach, revoke, revokeOfAgent, revokeOutside } from './service.ts'

export default feature(
  ports,
  (app) => ({
    list: (call) => list(app, call),
    revoke: (call) => revoke(app, call),
    expose: staged(
      (call) => reach(app, call),
      (call) => expose(app, call),
    ),
  }),
  {
    on: {
      'agent.deleted': { writes: ['network.port_closed'], run: revokeOfAgent },
      'agent.expired': { writes: ['network.port_closed'], run: revokeOfAgent },
      'agent.updated': { writes: ['network.port_closed'], run: revokeOutside },
    },
    jobs: [expirePorts],
  },
)
