import type { Reply } from '#contract/define'
import type { Acting } from '#contract/entries'
import type { missions } from '#contract/missions'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { agentById } from '../../agents/service.ts'
import { lastWordsOf } from '../../runs/messages/service.ts'
import { beginRun, findRun, type Run } from '../../runs/service.ts'
import { begin } from '../changes/service.ts'
import { withdraw } from '../engine/approvals.ts'
import { setMission } from '../engine/service.ts'
import { queries, type Row } from '../queries.ts'
import { standing } from '../rules.ts'
import { findMission, stateOf } from '../service.ts'
import { insertPlanned } from '../tasks/drafts.ts'
import { changed, orchestrator } from '../telling.ts'
import { judge } from './approvals.ts'
import { BadPlan, notApproved, type Planned, readPlan } from './rules.ts'

type EndedRun = Happened<'run.completed' | 'run.failed' | 'run.timeout' | 'run.cancelled'>

/** How often a LEAD is asked for one plan. */
const attempts = 3

/** Asks the LEAD of a mission for its tasks. */
export function plan(
  app: App,
  { actor, crewId, missionId, body }: Call<typeof missions.plan>,
): Reply<typeof missions.plan> {
  const mission = findMission(app, actor.workspace, crewId, missionId)
  if (mission.status !== 'PLANNING')
    throw problem('mission_refused', { detail: `${standing(mission)}. It is planned in PLANNING` })
  if (mission.plan_state === 'asked' || mission.plan_state === 'again') throw problem('mission_planning')
  const by = actorOf(actor)
  const fresh = setMission(app, mission, {
    plan_attempts: 0,
    plan_starts: body?.start ? 1 : 0,
    // What people said of the last plan is told to the LEAD.
    error_message: mission.error_message?.startsWith(notApproved) ? mission.error_message : null,
    approval_id: null,
  })
  withdraw(app, mission.approval_id, by)
  const run_id = ask(app, fresh, by, actor.id)
  return { ...stateOf(app, missionId), run_id }
}

function ask(app: App, mission: Row, by: Acting, person: string | null): string {
  const agent = mission.lead_agent_id ? agentById(app, mission.lead_agent_id) : undefined
  if (agent?.crew_id !== mission.crew_id)
    throw problem('crew_not_running', { detail: 'The LEAD of the mission has left the crew' })
  const id = newId(app.clock())
  const members = { plan_run_id: id, plan_attempts: mission.plan_attempts + 1, plan_state: 'asked' } as const
  changed(app, setMission(app, mission, members), by, 'plan_asked')
  beginRun(app, {
    id,
    agent,
    source: 'mission_plan',
    source_id: mission.id,
    chat_id: null,
    triggered_by: person,
    trigger_type: 'ASSIGNMENT',
    tags: ['mission_plan'],
    by: { actor_type: 'orchestrator', ...(person && { actor_id: person }) },
    asked: person ? { created_by_user_id: person } : {},
  })
  return id
}

/** Takes the plan with the end of the run in which the LEAD made it. */
export function takePlan(app: App, { name, payload, about }: EndedRun): void {
  const run = about.trace_id ? findRun(app, about.trace_id) : undefined
  if (run?.source !== 'mission_plan' || !run.source_id) return
  const mission = queries(app.db).ofPlanRun.get(run.source_id, run.id)
  if (mission?.plan_state !== 'asked') return
  if (name === 'run.completed') read(app, mission, run)
  else
    give(app, mission, name === 'run.cancelled' ? 'The planning was cancelled' : (payload.error_message ?? 'It failed'))
}

function read(app: App, mission: Row, run: Run): void {
  try {
    store(app, mission, plannedIn(app, mission, run))
  } catch (error) {
    if (!(error instanceof BadPlan) && !(error instanceof Problem)) throw error
    refuse(app, mission, app.scrub({ workspace_id: mission.workspace_id, agent_id: run.agent_id }, [])(error.message))
  }
}

function plannedIn(app: App, mission: Row, run: Run): Planned[] {
  const slugs = queries(app.db)
    .agentsOfCrew.all(mission.crew_id)
    .map(({ slug }) => slug)
  return readPlan(lastWordsOf(app, run), slugs)
}

function give(app: App, mission: Row, reason: string): void {
  const next = setMission(app, mission, { plan_state: null, error_message: reason })
  changed(app, next, orchestrator, 'plan_failed', { reason })
}

function refuse(app: App, mission: Row, reason: string): void {
  if (mission.plan_attempts >= attempts) give(app, mission, reason)
  else setMission(app, mission, { plan_state: 'again', error_message: reason })
}

/** The tasks replace those that were there. */
function store(app: App, mission: Row, tasks: readonly Planned[]): void {
  insertTasks(app, mission, tasks)
  const next = setMission(app, mission, { plan_state: null, error_message: null })
  changed(app, next, orchestrator, 'planned')
  if (mission.plan_starts) judge(app, next)
}

/** Gives a mission these tasks instead of those that it has. */
export function insertTasks(
  app: App,
  mission: Pick<Row, 'id' | 'crew_id' | 'lead_agent_id'>,
  tasks: readonly Planned[],
): void {
  const agents = new Map(
    queries(app.db)
      .agentsOfCrew.all(mission.crew_id)
      .map(({ slug, id }) => [slug, id]),
  )
  queries(app.db).removeTasks.run(mission.id)
  insertPlanned(
    app,
    mission,
    tasks.map(({ id, agent, ...task }) => {
      const assigned = agent === null ? null : agents.get(agent)!
      return { ...task, key: id, assigned_agent_id: assigned === mission.lead_agent_id ? null : assigned }
    }),
    app.now(),
  )
}

/** Goes on after a run in which a LEAD planned, or a decision about a plan. */
export async function afterPlan(app: App, it: { about: { mission_id?: string; trace_id?: string } }): Promise<void> {
  const run = it.about.trace_id ? findRun(app, it.about.trace_id) : undefined
  const id = run?.source === 'mission_plan' ? run.source_id : null
  if (id && queries(app.db).byId.get(id)?.plan_state) await app.write(() => carryOn(app, id))
}

/** Asks the LEAD again, or begins the mission, as its plan has it. Nothing is done twice. */
export function carryOn(app: App, id: string): void {
  const mission = queries(app.db).byId.get(id)
  if (mission?.status !== 'PLANNING') return
  const person = mission.created_by_type === 'user' ? mission.created_by_id : null
  try {
    if (mission.plan_state === 'again') ask(app, mission, orchestrator, person)
    else if (mission.plan_state === 'start') begin(app, mission, orchestrator)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'runtime_unavailable' || error.code === 'unavailable') return
    give(app, queries(app.db).byId.get(id)!, error.message)
  }
}
