import { type Static, type TSchema, Type } from 'typebox'
import { issues } from '#contract/issues'
import type { StepOf } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { validator } from '#kernel/http/validate'
import { Problem, problem } from '#kernel/problem'
import { renderValue } from '#kernel/templates'
import { type AgentRow, agentById, agentCalled, agentsOfCrew } from '../../agents/service.ts'
import { assignWork } from '../../assignments/tasks/service.ts'
import { crewCalled } from '../../crews/service.ts'
import { raiseFor } from '../../escalations/service.ts'
import { create, update } from '../../issues/changes/service.ts'
import { addComment } from '../../issues/comments/service.ts'
import { relate } from '../../issues/relations/service.ts'
import { findIssue } from '../../issues/service.ts'
import type { RunRow } from '../engine/queries.ts'
import { queries as routineQueries } from '../queries.ts'
import { type Beginning, completed, failed, type Outcome } from './types.ts'

/** The actor as which a routine works: what people do is not said of them when a routine does it. */
const actorOf = ({ workspace_id, id }: RunRow): Actor => ({
  type: 'system',
  id,
  email: null,
  workspace: workspace_id,
  role: 'MANAGER',
  token: null,
  session: null,
})

/** Changes of Muster's own things, within the change that stores the step. */
export function beginPlatform({ app, run, step, values }: Beginning<StepOf<'platform'>>): Outcome {
  const args = renderValue(step.args, values) as Record<string, unknown>
  try {
    return completed(actions[step.action](app, run, args))
  } catch (error) {
    if (error instanceof Problem) return failed(error.message, true)
    throw error
  }
}

type Action = (app: App, run: RunRow, args: Record<string, unknown>) => unknown

const actions: Record<StepOf<'platform'>['action'], Action> = {
  'issue.create'(app, run, { crew, ...body }) {
    const crewId = crewOf(app, run, crew)
    const { id, identifier, title, status } = create(app, {
      actor: actorOf(run),
      crewId,
      body: checked(issues.create.body, body),
      now: app.now(),
    } as never)
    return { id, identifier, title, status }
  },
  'issue.update'(app, run, { identifier, ...body }) {
    const { crew_id } = findIssue(app, run.workspace_id, String(identifier ?? ''))
    const changed = update(app, {
      actor: actorOf(run),
      crewId: crew_id,
      identifier: String(identifier),
      body: checked(issues.update.body, body),
      now: app.now(),
    } as never)
    return { id: changed.id, identifier: changed.identifier, title: changed.title, status: changed.status }
  },
  'issue.comment'(app, run, { identifier, body }) {
    const issue = findIssue(app, run.workspace_id, String(identifier ?? ''))
    const { body: text } = checked(issues.comment.body, { body }) as { body: string }
    const author = run.user_id ?? authorOf(app, run)
    if (!author) throw problem('not_found', { detail: 'Nobody stands behind the routine: its author has left' })
    const words = `${text}\n\n— the routine ${run.routine_slug}`
    const by = { actor_type: 'orchestrator' as const, actor_id: run.id }
    const { id } = addComment(app, issue, { by, author: { type: 'user', id: author }, text: words })
    return { id, identifier: issue.identifier }
  },
  'issue.link'(app, run, { identifier, ...body }) {
    const issue = findIssue(app, run.workspace_id, String(identifier ?? ''))
    const asked = checked(issues.relate.body, body) as { target_identifier: string; relation_type: string }
    const at = { actor: actorOf(run), crewId: issue.crew_id, identifier: issue.identifier }
    const { id } = relate(app, { ...at, body: asked, now: app.now() } as never)
    return { id, identifier: issue.identifier, ...asked }
  },
  'assignment.create'(app, run, args) {
    const { agent_slug, task, from_slug } = checked(AssignmentArgs, args) as Static<typeof AssignmentArgs>
    const agent = agentNamed(app, run, agent_slug, 'agent_slug')
    const by = inNameOf(app, run, agent.crew_id ?? '', from_slug)
    const row = assignWork(app, { agent, by, task, run: run.id, triggered_by: run.user_id })
    return { assignment_id: row.id, status: row.status, agent_slug: agent.slug }
  },
  'escalation.create'(app, run, args) {
    const { crew, from_slug, ...asked } = checked(EscalationArgs, args) as Static<typeof EscalationArgs>
    const crew_id = crewOf(app, run, crew)
    const { id: agent_id } = inNameOf(app, run, crew_id, from_slug)
    return raiseFor(app, { workspace_id: run.workspace_id, crew_id, agent_id, ...asked, type: asked.type ?? 'TEXT' })
  },
}

const short = Type.String({ maxLength: 64 })
const AssignmentArgs = Type.Object({
  agent_slug: short,
  task: Type.String({ minLength: 1, maxLength: 10_000 }),
  from_slug: Type.Optional(short),
})
const EscalationArgs = Type.Object({
  reason: Type.String({ minLength: 1, maxLength: 10_000 }),
  context: Type.Optional(Type.String({ maxLength: 20_000 })),
  type: Type.Optional(Type.Enum(['TEXT', 'LINK'])),
  metadata: Type.Optional(Type.String({ maxLength: 8192 })),
  crew: Type.Optional(short),
  from_slug: Type.Optional(short),
})

/** The agent of the workspace that is named; of the routine's crew if it has one. */
function agentNamed(app: App, { workspace_id, crew_id }: RunRow, slug: string, member: string): AgentRow {
  const agent = agentCalled(app, workspace_id, slug)
  if (agent && (!crew_id || agent.crew_id === crew_id)) return agent
  const where = crew_id ? 'the crew of the routine' : 'the workspace'
  throw problem('not_found', { field: member, detail: `There is no agent "${slug}" in ${where}` })
}

/** The agent that is named, or the LEAD of a crew. */
function inNameOf(app: App, run: RunRow, crew: string, slug: unknown): AgentRow {
  if (typeof slug === 'string' && slug !== '') return agentNamed(app, run, slug, 'from_slug')
  const lead = agentsOfCrew(app, crew).find(({ agent_role }) => agent_role === 'LEAD')
  const agent = lead && agentById(app, lead.id)
  if (agent) return agent
  throw problem('not_found', { field: 'from_slug', detail: 'The crew has no LEAD: name an agent with args.from_slug' })
}

/** In whose name a routine comments that nobody began. */
const authorOf = ({ db }: App, { workspace_id, routine_id }: RunRow): string | null =>
  routineQueries(db).byId.get(workspace_id, routine_id)?.author_user_id ?? null

/** The crew that is named, or that of the routine. */
function crewOf(app: App, run: RunRow, name: unknown): string {
  const crew = typeof name === 'string' && name !== '' ? crewCalled(app, run.workspace_id, name)?.id : run.crew_id
  if (crew) return crew
  throw problem('not_found', {
    detail: name ? `There is no crew "${String(name)}"` : 'The routine has no crew: name one with args.crew',
  })
}

function checked(schema: TSchema, body: unknown): unknown {
  const result = validator(schema, 'body')(body)
  if ('problem' in result) throw result.problem
  return result.value
}
