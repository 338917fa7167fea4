import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, line, nullable, page, prose, Ref, Time } from './fields.ts'

export const missionStatuses = ['PLANNING', 'IN_PROGRESS', 'REVIEW', 'COMPLETED', 'FAILED', 'CANCELLED'] as const
export type MissionStatus = (typeof missionStatuses)[number]

export const taskStatuses = [
  'PENDING',
  'BLOCKED',
  'IN_PROGRESS',
  'AWAITING_APPROVAL',
  'COMPLETED',
  'FAILED',
  'SKIPPED',
  'CANCELLED',
] as const
export type TaskStatus = (typeof taskStatuses)[number]

/** Missions of a crew that agents made and that are not over. */
export const mostAgentMissions = 6

/** Tasks of a mission that people write, and of one that an agent plans. */
export const [mostTasks, mostPlannedTasks] = [100, 16]

const text = nullable(Type.String())
const count = nullable(Type.Integer())

/** One part of a mission, done by one agent. docs/rules/work.md, "Missions". */
export const Task = Type.Object({
  id: Id,
  mission_id: Id,
  title: Type.String(),
  description: text,
  status: Type.Enum([...taskStatuses]),
  assigned_agent_id: nullable(Type.String({ description: 'null: the LEAD does it' })),
  agent_name: text,
  agent_slug: text,
  task_order: Type.Integer(),
  depends_on: Type.String({ description: 'JSON text: a list of ids of tasks of the same mission' }),
  iteration: Type.Integer({ description: 'How often it was tried' }),
  max_iterations: Type.Integer(),
  loop_back_to: nullable(Type.String({ description: 'The task from which all is done again when this one fails' })),
  result_summary: text,
  error_message: text,
  assignment_id: text,
  output_path: Type.Null(),
  token_count: count,
  estimated_cost: nullable(Type.Number()),
  started_at: nullable(Time),
  completed_at: nullable(Time),
  duration_ms: count,
  confidence: nullable(Type.Number({ description: 'What its agent said of it: 0 is guessing, 1 is certain' })),
  needs_review: Type.Boolean(),
  handoff_context: Type.Null(),
  evaluation_status: Type.Null(),
  approval_required: Type.Boolean({ description: 'It waits for a person once it is done' }),
  approval_status: nullable(Type.Enum(['APPROVED', 'REJECTED'])),
  approved_by: text,
  approved_at: nullable(Time),
  created_at: Time,
  updated_at: Time,
})

const Counts = Type.Object(
  Object.fromEntries(
    ['total', 'pending', 'blocked', 'in_progress', 'completed', 'failed', 'skipped', 'awaiting_approval'].map(
      (name) => [name, Type.Integer()],
    ),
  ) as Record<
    'total' | 'pending' | 'blocked' | 'in_progress' | 'completed' | 'failed' | 'skipped' | 'awaiting_approval',
    ReturnType<typeof Type.Integer>
  >,
)

/** A plan of several agents. docs/rules/work.md, "Missions". */
export const Mission = Type.Object({
  id: Id,
  workspace_id: Id,
  crew_id: Id,
  crew_name: Type.String(),
  crew_slug: Type.String(),
  mission_type: Type.Enum(['orchestration', 'issue']),
  identifier: nullable(Type.String({ description: 'Of an issue' })),
  title: Type.String(),
  description: text,
  plan: text,
  status: Type.String({ description: `${missionStatuses.join(', ')}; of an issue its own` }),
  lead_agent_id: text,
  lead_agent_name: text,
  lead_agent_slug: text,
  workflow_template: text,
  trace_id: text,
  tasks: Type.Optional(Type.Array(Task)),
  task_stats: Counts,
  cost: nullable(Type.Number({ description: 'US dollars; null where no client told' })),
  total_token_count: count,
  total_estimated_cost: nullable(Type.Number()),
  error_message: text,
  planning: Type.Boolean({ description: 'Its LEAD is at work on the plan' }),
  approval_id: text,
  created_by: Type.Object({ type: Type.String(), id: text, name: text }),
  started_at: nullable(Time),
  deadline_at: nullable(Type.String({ description: 'It fails when it is not over by then' })),
  completed_at: nullable(Time),
  created_at: Time,
  updated_at: Time,
})

const title = line(200)
const description = Type.Optional(nullable(prose(20_000)))
const taskMembers = {
  description,
  assigned_agent_id: Type.Optional(nullable(Type.String({ description: 'An agent of the crew; "" for the LEAD' }))),
  max_iterations: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: '3 unless stated' })),
  approval_required: Type.Optional(Type.Boolean()),
}
const Ids = Type.Array(Id, { maxItems: mostTasks })

export const TaskDraft = Type.Object({ title, ...taskMembers, depends_on: Type.Optional(Ids) })
export const TaskPatch = Type.Object({
  title: Type.Optional(title),
  ...taskMembers,
  depends_on: Type.Optional(
    Type.Unsafe<string | string[]>({ type: ['string', 'array'], description: 'Ids: a list, or JSON text of one' }),
  ),
  status: Type.Optional(Type.Enum(['PENDING', 'SKIPPED'], { description: 'PENDING: try again; SKIPPED: leave out' })),
})

export const PlannedTask = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 64, description: 'By which the other tasks of this plan name it' }),
  title,
  ...taskMembers,
  depends_on: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: mostTasks })),
  loop_back_to: Type.Optional(
    nullable(
      Type.String({ maxLength: 64, description: 'A task that it depends on, which is done again when it fails' }),
    ),
  ),
})

/** As agents write them; what is wrong in them is told in words. */
const word = Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 100 })
const AgentTask = Type.Object({
  id: word,
  title: prose(1000),
  description: Type.Optional(nullable(prose(30_000))),
  agent: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
  depends_on: Type.Optional(Type.Array(word, { maxItems: 1000 })),
})

const changing = { access: 'MANAGER', crew: 'crewId', scope: 'crews:write' } as const
const State = Type.Object({ id: Id, status: Type.Enum([...missionStatuses]) })
const moved = ['mission.status_change'] as const
const works = [
  'mission.status_change',
  'task.delegated',
  'assignment.queued',
  'assignment.running',
  'assignment.failed',
  'run.started',
  'agent.status_change',
] as const
const listing = {
  status: Type.Optional(Type.String({ maxLength: 200, description: 'Comma-separated: any of them' })),
  include_tasks: Type.Optional(Type.Enum(['true', 'false'])),
  limit: Type.Optional(
    Type.Unsafe<number | string>({
      type: ['integer', 'string'],
      description: '20 unless stated; at most 200, with tasks 50',
    }),
  ),
  offset: page.offset,
}
const at = '/crews/:crewId/missions/:missionId'

export const missions = {
  list: get('/missions', {
    summary: 'List the missions and issues of the workspace, newest first',
    access: 'VIEWER',
    query: Type.Object({
      ...listing,
      mission_type: Type.Optional(Type.Enum(['orchestration', 'issue'], { description: 'Both unless stated' })),
    }),
    reply: Type.Array(Mission),
  }),
  ofCrew: get('/crews/:crewId/missions', {
    summary: 'List the missions of a crew, newest first',
    access: 'VIEWER',
    query: Type.Object(listing),
    reply: Type.Array(Mission),
    throws: ['not_found'],
  }),
  show: get(at, {
    summary: 'Show a mission with its tasks',
    access: 'VIEWER',
    reply: Mission,
    throws: ['not_found'],
  }),
  metrics: get('/mission-metrics', {
    summary: 'Count missions and tasks, and what the last day cost',
    access: 'VIEWER',
    reply: Type.Object({
      total_missions: Type.Integer(),
      active_missions: Type.Integer(),
      completed_24h: Type.Integer(),
      failed_24h: Type.Integer(),
      total_tokens_24h: Type.Integer(),
      total_cost_24h: Type.Number(),
      avg_completion_time_ms: Type.Integer({ description: '0 when none was completed in the last day' }),
      tasks_completed_24h: Type.Integer(),
      tasks_failed_24h: Type.Integer(),
    }),
  }),
  create: post('/crews/:crewId/missions', {
    summary: 'Create a mission, perhaps with its tasks',
    ...changing,
    body: Type.Object({
      title,
      lead_agent_id: Type.String({ description: 'A LEAD of the crew' }),
      description,
      plan: description,
      workflow_template: Type.Optional(
        nullable(Type.String({ maxLength: 200, description: 'Id of a step plan, whose steps become tasks' })),
      ),
      tasks: Type.Optional(Type.Array(PlannedTask, { maxItems: mostTasks })),
    }),
    reply: Mission,
    journal: ['mission.created'],
    throws: ['not_found', 'task_cycle'],
  }),
  propose: post('/internal/missions', {
    summary: 'Create a mission with its tasks for the LEAD of its crew, as far as the crew’s policy allows',
    access: 'internal',
    held: true,
    agent: {
      route: '/missions',
      tool: 'create_mission',
      says:
        'For the LEAD of a crew alone: split work that is too much for one run into tasks of several agents of the ' +
        'crew, which Muster carries out in order, each with the results of those before. Depending on how much the ' +
        'crew may do, it begins at once, or once people approve it. Go on without waiting for it: people see what ' +
        `comes of it. At most ${mostPlannedTasks} tasks, and ${mostAgentMissions} such missions of a crew at a time.`,
      members: {
        title: 'What it is about, on one line',
        description: 'What all who work on it need to know',
        tasks:
          'Each {"id": "a", "title": "One line", "description": "All that the agent needs to know", "agent": "slug", ' +
          '"depends_on": ["ids of tasks whose results it needs"]}; without an agent it is yours',
      },
      rate: { agent: 10, crew: 20 },
    },
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      agent_id: Type.String({ maxLength: 64, description: 'The LEAD' }),
      run_id: Type.Optional(nullable(Ref)),
      title,
      description,
      tasks: Type.Array(AgentTask, { minItems: 1, maxItems: 1000 }),
    }),
    reply: Type.Object({
      id: Id,
      status: Type.Enum([...missionStatuses]),
      approval_id: Type.Optional(Id),
    }),
    journal: ['mission.created', 'mission.status_change', 'approval.requested', ...works.slice(1)],
    throws: ['not_found', 'not_the_lead', 'mission_refused', 'rate_limited', 'invalid_field'],
  }),
  update: patch(at, {
    summary: 'Change a mission, complete or cancel it',
    ...changing,
    body: Type.Object({
      title: Type.Optional(title),
      description,
      plan: description,
      status: Type.Optional(Type.Enum(['COMPLETED', 'CANCELLED'])),
    }),
    reply: Mission,
    journal: [...moved, 'assignment.cancelled', 'run.cancelled', 'approval.cancelled'],
    throws: ['not_found', 'no_fields', 'mission_refused'],
  }),
  remove: del(at, {
    summary: 'Delete a mission that is in PLANNING or CANCELLED',
    ...changing,
    journal: moved,
    throws: ['not_found', 'mission_refused', 'rewind_open'],
  }),
  start: post(`${at}/start`, {
    summary: 'Start a mission: its tasks begin as soon as what they depend on is done',
    ...changing,
    status: 200,
    reply: State,
    journal: works,
    throws: ['not_found', 'mission_refused', 'mission_empty', 'task_cycle'],
  }),
  restart: post(`${at}/restart`, {
    summary: 'Take a mission that is over back to PLANNING, all tasks to be done again',
    ...changing,
    status: 200,
    reply: State,
    journal: moved,
    throws: ['not_found', 'mission_refused'],
  }),
  resume: post(`${at}/resume`, {
    summary: 'Go on with a mission that failed; what is done stays done',
    ...changing,
    status: 200,
    reply: State,
    journal: works,
    throws: ['not_found', 'mission_refused'],
  }),
  clone: post(`${at}/clone`, {
    summary: 'Create a mission with the same tasks',
    ...changing,
    reply: State,
    journal: ['mission.created'],
    throws: ['not_found'],
  }),
  plan: post(`${at}/plan`, {
    summary: 'Ask the LEAD of a mission for its tasks; they replace those that are there',
    ...changing,
    status: 202,
    bodyOptional: true,
    body: Type.Object({
      start: Type.Optional(
        Type.Boolean({
          description: 'Begin with the plan as far as the policy of the crew allows; false unless stated',
        }),
      ),
    }),
    reply: Type.Object({ id: Id, status: Type.Enum([...missionStatuses]), run_id: Id }),
    journal: ['mission.status_change', 'approval.cancelled', 'run.started', 'agent.status_change'],
    throws: [
      'not_found',
      'mission_refused',
      'mission_planning',
      'crew_not_running',
      'agent_expired',
      'agent_pending_review',
      'runtime_unavailable',
      'unavailable',
    ],
  }),
  addTask: post(`${at}/tasks`, {
    summary: 'Add a task to a mission',
    ...changing,
    body: TaskDraft,
    reply: Task,
    journal: [...works],
    throws: ['not_found', 'mission_refused', 'mission_full', 'task_cycle'],
  }),
  updateTask: patch(`${at}/tasks/:taskId`, {
    summary: 'Change a task of a mission, try it again or leave it out',
    ...changing,
    body: TaskPatch,
    reply: Task,
    journal: [...works, 'approval.cancelled'],
    throws: ['not_found', 'no_fields', 'mission_refused', 'task_refused', 'task_cycle'],
  }),
  removeTask: del(`${at}/tasks/:taskId`, {
    summary: 'Delete a task of a mission that is in PLANNING',
    ...changing,
    journal: moved,
    throws: ['not_found', 'mission_refused'],
  }),
}
