import { Type } from 'typebox'
import { get, post } from './define.ts'
import { Id, nullable, page, Ref, Time } from './fields.ts'

export const assignmentStates = ['PENDING', 'QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const
export type AssignmentState = (typeof assignmentStates)[number]
/** Those that every client knows: QUEUED is shown as PENDING, CANCELLED as FAILED. */
export const listedStates = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const

export const resultLimit = 10_000
/** How long an agent waits for a result, in seconds, at most. */
export const resultWaitSeconds = 300

const maybe = nullable(Type.String())
const State = Type.Enum([...assignmentStates])
const times = { created_at: Time, queued_at: maybe, running_at: maybe, started_at: maybe, finished_at: maybe }

const members = {
  id: Id,
  workspace_id: Id,
  crew_id: Type.String({ description: 'Of the agent that does the work' }),
  chat_id: maybe,
  mission_id: maybe,
  assigned_by_id: Id,
  assigned_by_name: Type.String(),
  assigned_by_slug: Type.String(),
  assigned_to_id: Id,
  assigned_to_name: Type.String(),
  assigned_to_slug: Type.String(),
  task: Type.String(),
  state: State,
  group_id: Type.String({ description: 'The same for all that one request made its agent delegate' }),
  depth: Type.Integer(),
  parent_assignment_id: maybe,
  parent_run_id: Type.String({ description: 'The run that delegated it' }),
  chain_origin: Type.String({ description: 'The run with which it all began' }),
  run_id: nullable(Type.String({ description: 'The newest run that works on it' })),
  result_summary: nullable(Type.String({ description: `At most ${resultLimit} characters` })),
  error_message: maybe,
  ...times,
}

/** docs/rules/assignments.md. */
export const Assignment = Type.Object({ ...members, status: State })
export const ListedAssignment = Type.Object({
  ...members,
  status: Type.Enum([...listedStates], { description: 'QUEUED counts as PENDING, CANCELLED as FAILED' }),
})

const Held = Type.Enum([...assignmentStates, 'PENDING_REVIEW'])

/** What a tool tells an agent of work that it delegated. */
export const Outcome = Type.Object({
  assignment_id: Id,
  status: State,
  target: Type.String(),
  task: Type.String(),
  result: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  note: Type.Optional(Type.String({ description: 'What Muster adds' })),
})

const caller = {
  workspace_id: Ref,
  crew_id: Ref,
  agent_id: Ref,
  run_id: Type.Optional(nullable(Ref)),
}

export const assignments = {
  list: get('/crews/:crewId/assignments', {
    summary: 'List what agents of a crew were given to do by other agents, newest first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(ListedAssignment),
    throws: ['not_found'],
  }),
  show: get('/assignments/:delegationId', {
    summary: 'Show what an agent was given to do by another, and what came of it',
    access: 'VIEWER',
    reply: Assignment,
    throws: ['not_found'],
  }),
  cancel: post('/assignments/:delegationId/cancel', {
    summary: 'End what an agent was given to do by another, with what it delegated in turn',
    access: 'MANAGER',
    crew: 'delegationId',
    scope: 'agents:write',
    status: 202,
    reply: Type.Object({
      id: Id,
      status: Type.Enum([...assignmentStates], { description: 'RUNNING: its run is being ended' }),
    }),
    journal: ['assignment.cancelled', 'run.cancelled'],
    throws: ['not_found', 'assignment_ended'],
  }),
  create: post('/internal/assignments', {
    summary: 'Delegate work to another agent, as far as the policy of the crew allows',
    access: 'internal',
    held: true,
    agent: {
      route: '/assign',
      tool: 'assign',
      says:
        'Give work to another agent. It starts at once, or waits for a place (status QUEUED), or for people to ' +
        'approve it (PENDING_REVIEW). Go on with your own work, then ask for the result with assignment_result. If ' +
        'you end before, the result is brought to you: do not wait for long.',
      members: {
        target: 'The slug of the agent',
        task: 'All that it needs to know: it has not read what you have read',
        crew: 'The slug of its crew, if that is not your own',
      },
      rate: { agent: 30, crew: 120 },
    },
    body: Type.Object({
      ...caller,
      call_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      target: Type.String({ minLength: 1, maxLength: 64, description: 'Slug of an agent' }),
      task: Type.String({ minLength: 1, maxLength: 16_000, pattern: '^[^\\u0000]*$' }),
      crew: Type.Optional(Type.String({ maxLength: 64, description: 'Slug of its crew' })),
    }),
    reply: Type.Object({ assignment_id: Id, status: Held, approval_id: Type.Optional(Id) }),
    journal: [
      'assignment.created',
      'assignment.queued',
      'assignment.running',
      'assignment.failed',
      'assignment.refused',
      'approval.requested',
      'run.started',
    ],
    throws: [
      'not_found',
      'client_id_taken',
      'run_gone',
      'own_assignment',
      'agent_deleted',
      'agent_expired',
      'agent_pending_review',
      'agent_crewless',
      'assignment_limit',
      'crews_not_connected',
      'policy_refused',
      'unavailable',
    ],
  }),
  results: post('/internal/assignments/results', {
    summary: 'Wait for the end of delegated work, for a while, and say how it stands',
    access: 'internal',
    status: 200,
    agent: {
      route: '/results',
      tool: 'assignment_result',
      says:
        'Say how work stands that you gave to another agent with assign, and give its result once it has ended ' +
        '(COMPLETED, FAILED, CANCELLED). Waits for the end, a few minutes at most.',
      members: {
        assignment_id: 'What assign answered',
        wait_seconds: `How long to wait, 0 to ${resultWaitSeconds}; ${resultWaitSeconds} unless stated`,
      },
      reads: 'assignment_id',
      rate: { agent: 60, crew: 240 },
    },
    body: Type.Object({
      ...caller,
      assignment_id: Ref,
      wait_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: resultWaitSeconds })),
    }),
    reply: Outcome,
    journal: [],
    throws: ['not_found', 'unavailable'],
  }),
}
