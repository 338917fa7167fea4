import type { App } from '#kernel/app'
import { type Choice, type Decision, declareKind } from '../../decisions/service.ts'
import { waitingOf } from './held.ts'
import { queries } from './queries.ts'

function choicesOf(app: App, { id, crew_id }: Pick<Decision, 'id' | 'crew_id'>): Choice[] {
  const { revision } = waitingOf(app, queries(app.db).ofDecision.get(id) ?? '')
  const where = crew_id === null ? {} : { operation: 'integrations.decideToolsInCrew' }
  return [
    {
      id: 'approve',
      label: 'Approve',
      means: 'approve',
      effect: 'Agents may call these tools as they are described now.',
      body: { approve: true, revision },
      text: null,
      ...where,
    },
    {
      id: 'refuse',
      label: 'Refuse',
      means: 'deny',
      effect: 'These tools are switched off.',
      body: { approve: false, revision },
      text: null,
      ...where,
    },
  ]
}

/** Tools of a server that wait for people. What is decided is recorded where it is decided. */
export const heldTools = declareKind({
  name: 'integration_tools',
  card: 'escalation',
  role: 'MANAGER',
  seconds: null,
  operation: 'integrations.decideTools',
  params({ id, crew_id }, app): Record<string, string> {
    const server = queries(app.db).ofDecision.get(id) ?? ''
    return crew_id === null ? { integrationId: server } : { crewId: crew_id, serverId: server }
  },
  actions: (app, row) => choicesOf(app, row).map(({ id, label }) => ({ id, label })),
  choices: choicesOf,
  hint: () => 'Decide the tools where they are listed: muster integrations tools NAME --approve TOOL',
  expired: 'expired',
  orphaned: true,
  fact: () => null,
})
