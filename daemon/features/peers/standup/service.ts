import type { Static } from 'typebox'
import type { crewPeers, Standup } from '#contract/peers'
import { type App, wholeSeconds } from '#kernel/app'
import { cut } from '#kernel/cut'
import type { Call } from '#kernel/feature'
import { agentById, agentsOfCrew } from '../../agents/service.ts'
import { usedSince } from '../../agents/usage/service.ts'
import { findCrew } from '../../crews/service.ts'
import { settleDue } from '../../decisions/service.ts'
import { isPrivate } from '../../runs/chains/service.ts'
import { lastWordsOf } from '../../runs/messages/service.ts'
import { findRun, runsOfAgent } from '../../runs/service.ts'
import { type Ended, queries } from './queries.ts'
import { sinceOf } from './rules.ts'

type Shown = Static<typeof Standup>

const waitingAtMost = 20
const latestAtMost = 3
/** Characters of what an agent said last. */
const saidAtMost = 400

export const standupOf = (app: App, { actor, crewId, query }: Call<typeof crewPeers.standup>): Promise<Shown> =>
  standup(app, actor.workspace, crewId, query.since)

/** What the agents of a crew did, counted from what is on record. */
export async function standup(app: App, workspace: string, crewId: string, given?: string): Promise<Shown> {
  const crew = findCrew(app, workspace, crewId)
  const since = sinceOf(given, app.clock())
  await settleDue(app)
  return {
    crew_id: crew.id,
    slug: crew.slug,
    name: crew.name,
    since: wholeSeconds(since),
    until: app.now(),
    agents: agentsOfCrew(app, crewId)
      .sort((one, other) => (one.slug < other.slug ? -1 : 1))
      .map(({ id }) => deeds(app, workspace, id, since)),
  }
}

function deeds(app: App, workspace: string, agent: string, since: number): Shown['agents'][number] {
  const { slug, name, role_title, status } = agentById(app, agent)!
  const { ended, latest, waiting, asked } = queries(app.db)
  const span = { workspace, agent, since }
  const counts = new Map(ended.all(span).map((it) => [it.status, it.n]))
  const { tokens, cost_usd, unpriced_runs } = usedSince(app, workspace, agent, since)
  return {
    agent_id: agent,
    slug,
    name,
    role_title,
    status,
    runs: {
      open: runsOfAgent(app, agent).length,
      completed: counts.get('COMPLETED') ?? 0,
      failed: counts.get('FAILED') ?? 0,
      timed_out: counts.get('TIMEOUT') ?? 0,
      cancelled: counts.get('CANCELLED') ?? 0,
    },
    tokens,
    cost_usd,
    unpriced_runs,
    ...asked.get({ agent, since: wholeSeconds(since) })!,
    waiting: waiting.all(agent, waitingAtMost),
    latest: latest.all({ ...span, most: latestAtMost }).map((run) => outcome(app, run)),
  }
}

const outcome = (app: App, { id, trigger_type, status, finished, error_message }: Ended) => ({
  run_id: id,
  trigger_type,
  status,
  finished_at: new Date(finished!).toISOString(),
  error: error_message,
  said: saidIn(app, id),
})

/** The beginning of what the agent said last in a run; null where not the whole workspace may read it. */
function saidIn(app: App, id: string): string | null {
  const run = findRun(app, id)
  if (!run || isPrivate(app, run)) return null
  return cut(lastWordsOf(app, run), saidAtMost) || null
}
