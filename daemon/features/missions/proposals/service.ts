import type { Reply } from '#contract/define'
import { type missions, mostAgentMissions } from '#contract/missions'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { leadOf } from '../../agents/leads/service.ts'
import { ancestorsOf, isPrivate } from '../../runs/chains/service.ts'
import { findRun, type Run } from '../../runs/service.ts'
import { insertMission } from '../changes/service.ts'
import { judge } from '../planning/approvals.ts'
import { BadPlan, type Planned, readTasks } from '../planning/rules.ts'
import { carryOn, insertTasks } from '../planning/service.ts'
import { queries } from '../queries.ts'

type Proposed = Call<typeof missions.propose>

/** Creates a mission for the LEAD of a crew, and begins it as far as the policy of the crew allows; answers its id. */
export function propose(app: App, { body, now }: Proposed): string {
  const { workspace_id, crew_id, run_id } = body
  const lead = leadOf(app, body)
  checkRun(app, run_id ? findRun(app, run_id) : undefined)
  if (queries(app.db).openOfAgents.get(crew_id)! >= mostAgentMissions)
    throw problem('rate_limited', {
      detail: `Agents of the crew have ${mostAgentMissions} missions that are not over: wait for one of them`,
    })
  const tasks = tasksIn(app, crew_id, body.tasks)
  const by = { actor_type: 'agent', actor_id: lead.id } as const
  const id = insertMission(app, by, {
    workspace_id,
    crew_id,
    title: body.title,
    description: body.description ?? null,
    lead_agent_id: lead.id,
    created_by_id: lead.id,
    created_at: now,
  })
  insertTasks(app, { id, crew_id, lead_agent_id: lead.id }, tasks)
  judge(app, queries(app.db).byId.get(id)!)
  return id
}

/** A mission is for the whole workspace to see, and those who work on one begin no other: they would never end. */
function checkRun(app: App, run: Run | undefined): void {
  if (!run) return
  if (isPrivate(app, run))
    throw problem('mission_refused', { detail: 'What is said in a private room stays there: use assign instead' })
  const works = ancestorsOf(app, run).some(
    ({ source, source_id }) => source === 'assignment' && source_id && queries(app.db).taskOfAssignment.get(source_id),
  )
  if (works)
    throw problem('mission_refused', { detail: 'You work on a task of a mission; whoever does begins no other one' })
}

function tasksIn(app: App, crew: string, given: readonly object[]): Planned[] {
  const slugs = queries(app.db)
    .agentsOfCrew.all(crew)
    .map(({ slug }) => slug)
  try {
    return readTasks(given, slugs)
  } catch (error) {
    if (!(error instanceof BadPlan)) throw error
    throw problem('invalid_field', { field: 'tasks', detail: `The plan cannot be used: ${error.message}` })
  }
}

/** Begins it where it may begin, and answers how it is. */
export async function proposed(app: App, id: string): Promise<Reply<typeof missions.propose>> {
  await app.write(() => carryOn(app, id))
  const { status, approval_id } = queries(app.db).byId.get(id)!
  return { id, status, ...(approval_id && { approval_id }) }
}
