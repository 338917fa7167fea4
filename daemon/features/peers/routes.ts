import { crewPeers, peers } from '#contract/peers'
import { feature } from '#kernel/feature'
import { endWhenDue } from '#kernel/jobs/due'
import { problem } from '#kernel/problem'
import { ask } from './asking.ts'
import { listMessages, readMessages, sendMessage } from './messages/service.ts'
import { afterRun, expireDue, findBound, list, nextDue, waitForPeer } from './service.ts'
import { peerSource } from './source.ts'
import { standup, standupOf } from './standup/service.ts'

/** Reacting to the end of a run that asked ends runs that answer, which never wait for a person and end later. */
const ended = { writes: ['peer.conversation'], run: afterRun } as const

/** What people see of it. */
export const crewsPeers = feature(crewPeers, (app) => ({
  peerConversations: (call) => list(app, call),
  standup: (call) => standupOf(app, call),
  messages: (call) => listMessages(app, call),
}))

export default feature(
  peers,
  (app) => ({
    query: (call) => ask(app, call),
    standup: ({ body: { workspace_id, crew_id, since } }) => standup(app, workspace_id, crew_id, since),
    sendMessage: (call) => sendMessage(app, call),
    readMessages: (call) => readMessages(app, call),
    async wait({ actor, queryId, web }) {
      const id = findBound(app, actor, queryId)
      const gone = new AbortController()
      web?.reply.raw.once('close', () => gone.abort())
      const outcome = await waitForPeer(app, id, AbortSignal.any([gone.signal, app.stopping.signal]))
      if (!outcome) throw problem('unavailable', { detail: 'The daemon stops: ask again' })
      return { query_id: id, ...outcome }
    },
  }),
  {
    sources: { peer: peerSource },
    jobs: [
      (app) =>
        endWhenDue(app, {
          next: nextDue,
          end: expireDue,
          woken: 'peer.conversation',
          failure: 'Questions of agents whose time is over could not be ended',
        }),
    ],
    on: { 'run.completed': ended, 'run.failed': ended, 'run.cancelled': ended, 'run.timeout': ended },
  },
)
