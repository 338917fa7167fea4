import { agentConnections } from '#contract/crew-connections'
import { feature } from '#kernel/feature'
import { list, propose, settleProposal } from './service.ts'

const refused = { writes: ['crew_connection.deleted'] as const, run: settleProposal }

export default feature(
  agentConnections,
  (app) => ({
    connectedCrews: (call) => list(app, call),
    proposeConnection: (call) => propose(app, call),
  }),
  {
    on: {
      'approval.granted': { writes: ['crew_connection.updated'], run: settleProposal },
      'approval.denied': refused,
      'approval.timeout': refused,
      'approval.cancelled': refused,
      'approval.orphaned': refused,
    },
  },
)
