import { crewConnections } from '#contract/crew-connections'
import { feature } from '#kernel/feature'
import { connect, disconnect, list, removeOfCrew } from './service.ts'

export default feature(
  crewConnections,
  (app) => ({
    connections: (call) => list(app, call),
    connect: (call) => connect(app, call),
    disconnect: (call) => disconnect(app, call),
  }),
  { on: { 'crew.deleted': { writes: ['crew_connection.deleted'], run: removeOfCrew } } },
)
