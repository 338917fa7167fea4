import type { agentStanding } from '#contract/agent-standing'
import type { Reply } from '#contract/define'
import { type Entry, isStored } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { uptime } from '#kernel/uptime'
import { type AgentRow, findAgent } from '../../agents/service.ts'
import { usedThisMonth } from '../../agents/usage/service.ts'
import { requestsConcerning } from '../../approvals/service.ts'
import { openAssignments } from '../../assignments/service.ts'
import { settleDue } from '../../decisions/service.ts'
import { openQuestions } from '../../escalations/service.ts'
import { peerMessages } from '../../peers/service.ts'
import { openSuggestions } from '../../persona/service.ts'
import { workingOfAgent } from '../../runs/service.ts'
import { logLines } from '../service.ts'
import { queries } from './queries.ts'
import { withoutPlaces } from './rules.ts'

/** Log lines of each kind at most, and entries that are read for them. */
const lines = 50
const entriesRead = 500
const messagesShown = 20

export async function inbox(
  app: App,
  { actor, agentId }: Call<typeof agentStanding.inbox>,
): Promise<Reply<typeof agentStanding.inbox>> {
  const agent = findAgent(app, actor.workspace, agentId)
  await settleDue(app)
  const used = usedThisMonth(app, actor.workspace, agent.id)
  return {
    approvals_pending: requestsConcerning(app, actor.workspace, agent.id) + openSuggestions(app, agent.id),
    assignments_open: openAssignments(app, agent.id),
    escalations_open: openQuestions(app, agent.id),
    peer_messages: peerMessages(app, { agent: agent.id, user: actor.id }, messagesShown),
    cost_usd_this_month: used.cost_usd,
    llm_calls_this_month: used.llm_calls,
    tokens_used_this_month: used.tokens,
  }
}

export async function debug(
  app: App,
  { actor, agentId }: Call<typeof agentStanding.debug>,
): Promise<Reply<typeof agentStanding.debug>> {
  const agent = findAgent(app, actor.workspace, agentId)
  const { id, name, cli_adapter, status } = agent
  return {
    agent: { id, name, cli_adapter, db_status: status },
    daemon_reachable: true,
    daemon: {
      status: (await app.storage.condition()) ? 'degraded' : 'ok',
      uptime: uptime(app),
      uptime_secs: Math.floor((app.clock() - app.startedAt) / 1000),
      connections: app.streams.taken,
      started_at: new Date(app.startedAt).toISOString(),
      providers: [app.config.containerProvider],
      container_available: (await app.runtime.condition())?.engine.ok === true,
    },
    runtime: await runtimeOf(app, agent),
    service_logs: serviceLines(app, agent),
    agent_logs: logLines(app, actor.id, agent, { limit: lines, offset: 0 }).map(
      ({ metadata: _, message, content, ...line }) => ({
        ...line,
        ...(content && { content: withoutPlaces(content) }),
        ...(message && { message: withoutPlaces(message) }),
      }),
    ),
  }
}

async function runtimeOf(app: App, { id, crew_id }: AgentRow) {
  const { state } = crew_id ? await app.runtime.status(crew_id) : { state: 'not_configured' as const }
  if (!app.runs.available || state === 'unknown') return { status: 'unreachable' }
  return { agent_id: id, status: workingOfAgent(app, id).length ? 'running' : 'idle', container: state }
}

/** What Muster itself did about the agent, newest first. */
function serviceLines({ db, index }: App, { id, workspace_id }: AgentRow) {
  const { names } = index
  const agent = names.find(names.find(0, workspace_id) ?? 0, id)
  if (agent === undefined) return []
  return queries(db)
    .entries.all(agent, entriesRead)
    .map(({ doc }) => JSON.parse(doc) as Entry)
    .filter((entry) => isStored(entry) && entry.actor_type !== 'user' && entry.actor_type !== 'agent')
    .slice(0, lines)
    .map(({ id: entry_id, ts, severity, summary, entry_type }) => ({
      time: ts,
      level: severity,
      msg: withoutPlaces(summary),
      attrs: { entry_type, entry_id },
    }))
}
