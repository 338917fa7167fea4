import { decisions } from '#contract/decisions'
import type { FactName } from '#contract/entries'
import { feature } from '#kernel/feature'
import { watchDeadlines } from './deadlines.ts'
import { withdrawOfAgent, withdrawOfCrew, withdrawOfGhost, withdrawOfWorkspace } from './orphans.ts'
import { show } from './show.ts'

/** The facts that record a withdrawal and its consequences. */
const writes: readonly FactName[] = [
  'peer.escalation',
  'keeper.decided',
  'credential.use_decided',
  'approval.orphaned',
  'credential.refused',
  'persona.suggestion_settled',
  'memory.proposal_rejected',
  'memory.skill_rejected',
]

export default feature(decisions, (app) => ({ show: (call) => show(app, call) }), {
  on: {
    'agent.deleted': { writes, run: (app, { payload }) => withdrawOfAgent(app, payload.entity_id) },
    'agent.expired': { writes, run: (app, { payload }) => withdrawOfGhost(app, payload.entity_id) },
    'crew.deleted': { writes, run: (app, { payload }) => withdrawOfCrew(app, payload.entity_id) },
    'workspace.deleted': { writes, run: (app, { payload }) => withdrawOfWorkspace(app, payload.entity_id) },
  },
  jobs: [watchDeadlines],
})
