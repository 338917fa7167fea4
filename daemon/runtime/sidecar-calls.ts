import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { perform } from '#kernel/perform'
import { Problem, problem } from '#kernel/problem'
import { agentById } from '../features/agents/service.ts'
import { findExecution, workingOfAgent } from '../features/chats/executions/service.ts'
import { knownSecrets } from '../features/credentials/delivery/service.ts'
import { containerOf } from '../features/crews/containers/service.ts'
import { waitForAnswer } from '../features/escalations/service.ts'
import { createScrubber } from './adapters/scrub.ts'
import { runOfProgram } from './runs/program.ts'
import { secretsOf } from './runs/secrets.ts'
import type { Runtime, SidecarAnswer, SidecarCall } from './types.ts'

/** An agent that asks, as its sidecar and the database know it. */
export interface Caller {
  actor: Actor
  workspace_id: string
  crew_id: string
  agent_id: string
  /** The run that it asks from; null when that cannot be told. */
  run_id: string | null
}

type Answer = (app: App, caller: Caller, call: SidecarCall, signal: AbortSignal) => Promise<SidecarAnswer>

const members = (body: unknown): object => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw problem('invalid_json', { detail: 'The body must be a JSON object' })
  return body
}

/** Carries a call out as an operation of the internal interface; what the agent says of itself is overruled. */
const operation =
  (name: string, status: number): Answer =>
  async (app, { actor, ...who }, { body }) => ({ status, body: await perform(app, name, actor, { body: { ...members(body), ...who } }) })

/** Asks people and waits for what they answer; a call that comes again after a restart is the same question. */
const escalate: Answer = async (app, { actor, ...who }, { id, body }, signal) => {
  const { reason, context, ...rest } = members(body) as { reason?: unknown; context?: unknown }
  // What people read must hold nothing of the vault; an offered credential goes there unread.
  const { clean } = createScrubber(knownSecrets(app, who.workspace_id))
  const question = { ...rest, ...(reason !== undefined && { reason: clean(reason) }), ...(context !== undefined && { context: clean(context) }) }
  const asked = (await perform(app, 'escalations.create', actor, { body: { ...question, ...who, call_id: id } })) as { escalation_id: string }
  const outcome = await waitForAnswer(app, asked.escalation_id, signal)
  return { status: 200, body: { escalation_id: asked.escalation_id, ...outcome } }
}

/** The agent says which port; which container that means is known here. */
const exposePort: Answer = async (app, { actor, run_id, ...who }, { id, body }) => {
  const container_id = containerOf(app, who.crew_id)?.container_id
  if (!container_id) throw problem('container_unreachable', { detail: 'The crew has no container' })
  const chat_id = run_id ? findExecution(app, run_id)?.chat_id : undefined
  const { description, ...rest } = members(body) as { description?: unknown }
  const { clean } = createScrubber(knownSecrets(app, who.workspace_id))
  const asked = { ...rest, ...(description !== undefined && { description: clean(description) }), ...who, container_id, chat_id, call_id: id }
  return { status: 201, body: await perform(app, 'ports.expose', actor, { body: asked }) }
}

/** Asks a person; the run's program is ended for it, and goes on with the answer. A call that comes again after a restart is the same question. */
const askHuman: Answer = async (app, { actor, ...who }, { id, body }) => {
  const { clean } = createScrubber(secretsOf(app, who))
  const asked = { ...clean(members(body)), ...who, call_id: id }
  return { status: 202, body: await perform(app, 'asks.park', actor, { body: asked }) }
}

/** What people have to approve first is accepted, not made. */
const createAgent: Answer = async (app, { actor, run_id: _, ...who }, { body }) => {
  const made = (await perform(app, 'agents.propose', actor, { body: { ...members(body), ...who } })) as { status: string }
  return { status: made.status === 'PENDING_REVIEW' ? 202 : 201, body: made }
}

const routes: Record<string, Answer> = {
  '/agents': createAgent,
  '/ask-human': askHuman,
  '/escalate': escalate,
  '/expose-port': exposePort,
  '/report-confidence': operation('runs.reportConfidence', 202),
}

/** Answers what agents ask of the daemon through their sidecars. */
export const answerCalls = (app: App, runtime: Runtime): void =>
  runtime.onSidecarCall(async (crewId, call, signal) => {
    try {
      const route = Object.hasOwn(routes, call.route) ? routes[call.route] : undefined
      if (!route) throw problem('not_found')
      return await route(app, callerOf(app, crewId, call), call, signal)
    } catch (error) {
      if (!(error instanceof Problem)) app.log.error({ err: error, crew: crewId, route: call.route }, 'A call of an agent failed')
      const failure = error instanceof Problem ? error : problem('internal')
      return { status: failure.status, body: failure.toBody(call.route) }
    }
  })

function callerOf(app: App, crewId: string, { agentId, runId }: SidecarCall): Caller {
  const agent = agentById(app, agentId)
  // The sidecar may not know yet that the agent has left.
  if (!agent || agent.crew_id !== crewId) throw problem('not_found')
  const bound = { workspace: agent.workspace_id, crew: crewId, agent: agentId }
  const actor: Actor = { type: 'agent', id: agentId, email: null, workspace: agent.workspace_id, role: null, token: null, session: null, bound }
  return { actor, workspace_id: agent.workspace_id, crew_id: crewId, agent_id: agentId, run_id: runOf(app, agentId, runId) }
}

function runOf(app: App, agentId: string, named: string | null): string | null {
  const id = named === null ? null : runOfProgram(named)
  if (id !== null) return findExecution(app, id)?.agent_id === agentId ? id : null
  const open = workingOfAgent(app, agentId)
  return open.length === 1 ? open[0]!.id : null
}
