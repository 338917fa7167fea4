import { agentPeers } from '#contract/agent-peers'
import { feature } from '#kernel/feature'
import { forgetPerson, list, remove, show } from './service.ts'

export default feature(
  agentPeers,
  (app) => ({
    peers: (call) => list(app, call),
    peer: (call) => show(app, call),
    removePeer: (call) => remove(app, call),
  }),
  {
    on: {
      'workspace_member.deleted': (app, { payload, about }) =>
        forgetPerson(app, about.workspace_id!, payload.metadata.user_id),
    },
  },
)
