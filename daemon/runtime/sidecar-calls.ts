import { type CallerMember, callerMembers } from '#contract/agent-calls'
import { statusOf } from '#contract/define'
import { checkBounds } from '#kernel/agents/texts'
import type { App } from '#kernel/app'
import type { Operation } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { isObject } from '#kernel/http/json-bounds'
import { perform } from '#kernel/perform'
import { Problem, problem } from '#kernel/problem'
import { agentById } from '../features/agents/service.ts'
import { waitForEnd } from '../features/assignments/results/service.ts'
import { containerOf } from '../features/crews/containers/service.ts'
import { waitForAnswer } from '../features/escalations/service.ts'
import { waitForPeople } from '../features/keeper/requests/service.ts'
import { waitForPeer } from '../features/peers/service.ts'
import { findRun, workingOfAgent } from '../features/runs/service.ts'
import { answerUse } from './credential-uses.ts'
import { answerGateway } from './gateway.ts'
import { answerHeld } from './monitor/held.ts'
import { runOfProgram } from './runs/program.ts'
import { gatewayRoute, heldRoute, useRoute } from './sidecar/own-routes.ts'
import type { Runtime, SidecarAnswer, SidecarCall } from './types.ts'

/** What comes after an operation before its agent is answered. */
type Ending = (app: App, reply: unknown, signal: AbortSignal, body: unknown) => SidecarAnswer | Promise<SidecarAnswer>

/** Waits for people where the judge puts a request before them. */
async function waitingForPeople(app: App, reply: unknown, signal: AbortSignal): Promise<SidecarAnswer> {
  const { request_id } = reply as { request_id: string }
  return { status: 200, body: (await waitForPeople(app, request_id, signal)) ?? reply }
}

const endings: Record<string, Ending> = {
  /** Waits for what people answer; a call that comes again after a restart is the same question. */
  'escalations.create': async (app, reply, signal) => {
    const { escalation_id } = reply as { escalation_id: string }
    return { status: 200, body: { escalation_id, ...(await waitForAnswer(app, escalation_id, signal)) } }
  },
  /** Waits for the end of delegated work. */
  'assignments.results': async (app, reply, signal, body) => {
    const { assignment_id } = reply as { assignment_id: string }
    const wait = (body as { wait_seconds?: unknown } | null)?.wait_seconds
    const told = await waitForEnd(app, assignment_id, wait, AbortSignal.any([signal, app.stopping.signal]))
    return { status: 200, body: told ?? reply }
  },
  'keeper.request': waitingForPeople,
  'keeper.execute': waitingForPeople,
  'peers.query': async (app, reply, signal) => {
    const { query_id } = reply as { query_id: string }
    return { status: 200, body: { query_id, ...(await waitForPeer(app, query_id, signal)) } }
  },
}

/** Answers what agents ask of the daemon through their sidecars. */
export function answerCalls(app: App, runtime: Runtime): void {
  const routes = new Map(
    [...app.operations.values()].flatMap((it) => (it.endpoint.agent ? [[it.endpoint.agent.route, it] as const] : [])),
  )
  runtime.onSidecarCall(async (crewId, call, signal) => {
    try {
      if (call.route === useRoute) return await answerUse(app, crewId, call)
      const run = runOf(app, call.agentId, call.runId)
      if (app.tripwires.heard(crewId, call.agentId, run, call.route, call.body)) throw problem('not_found')
      if (call.route === gatewayRoute) return await answerGateway(app, runtime, crewId, call, signal)
      if (call.route === heldRoute) return await answerHeld(app, run, call.body)
      const operation = routes.get(call.route)
      if (!operation) throw problem('not_found')
      const reply = await perform(app, operation.name, ...asked(app, operation, crewId, call))
      return (
        (await endings[operation.name]?.(app, reply, signal, call.body)) ?? {
          status: statusOf(operation.endpoint, reply),
          body: reply,
        }
      )
    } catch (error) {
      if (!(error instanceof Problem))
        app.log.error({ err: error, crew: crewId, route: call.route }, 'A call of an agent failed')
      const failure = error instanceof Problem ? error : problem('internal')
      return { status: failure.status, body: failure.toBody(call.route) }
    }
  })
}

/** The operation's actor and body: what the agent says of itself is overruled. */
function asked(
  app: App,
  { endpoint }: Operation,
  crewId: string,
  { id, agentId, runId, body }: SidecarCall,
): [Actor, { body: unknown }] {
  const agent = agentById(app, agentId)
  // The sidecar may not know yet that the agent has left.
  if (!agent || agent.crew_id !== crewId) throw problem('not_found')
  const { workspace_id } = agent
  const bound = { workspace: workspace_id, crew: crewId, agent: agentId }
  const actor: Actor = {
    type: 'agent',
    id: agentId,
    email: null,
    workspace: workspace_id,
    role: null,
    token: null,
    session: null,
    bound,
  }
  if (!isObject(body)) return [actor, { body }]
  // Also what is overruled below must be in bounds.
  checkBounds(body)
  const run = runOf(app, agentId, runId)
  const known: Record<CallerMember, () => string | null | undefined> = {
    workspace_id: () => workspace_id,
    crew_id: () => crewId,
    agent_id: () => agentId,
    run_id: () => run,
    chat_id: () => (run === null ? undefined : findRun(app, run)?.chat_id),
    call_id: () => id,
    container_id: () => containerIn(app, crewId),
  }
  const takes = (endpoint.body as { properties?: object } | undefined)?.properties ?? {}
  const said = Object.entries(body).filter(([member]) => !(callerMembers as readonly string[]).includes(member))
  const added = callerMembers.filter((member) => member in takes).map((member) => [member, known[member]()])
  return [actor, { body: Object.fromEntries([...said, ...added]) }]
}

function containerIn(app: App, crewId: string): string {
  const id = containerOf(app, crewId)?.container_id
  if (!id) throw problem('container_unreachable', { detail: 'The crew has no container' })
  return id
}

function runOf(app: App, agentId: string, named: string | null): string | null {
  const id = named === null ? null : runOfProgram(named)
  if (id !== null) return findRun(app, id)?.agent_id === agentId ? id : null
  const open = workingOfAgent(app, agentId)
  return open.length === 1 ? open[0]!.id : null
}
