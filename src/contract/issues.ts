// Longer than other files: all of an issue and its operations belong together.
import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Day, Id, line, nullable, page, prose, Time } from './fields.ts'
import { workers, workPriorities } from './projects.ts'
import { startRefusals } from './routine-starts.ts'

export const issueStatuses = [
  'BACKLOG',
  'TODO',
  'IN_PROGRESS',
  'REVIEW',
  'DONE',
  'FAILED',
  'CANCELLED',
  'DUPLICATE',
] as const
export type IssueStatus = (typeof issueStatuses)[number]

/** Where an issue may go from each status. docs/rules/work.md, "Issues". */
export const issueTransitions: readonly (readonly [from: IssueStatus, to: readonly IssueStatus[]])[] = [
  ['BACKLOG', ['TODO', 'IN_PROGRESS', 'CANCELLED', 'DUPLICATE']],
  ['TODO', ['BACKLOG', 'IN_PROGRESS', 'CANCELLED', 'DUPLICATE']],
  ['IN_PROGRESS', ['TODO', 'REVIEW', 'DONE', 'FAILED', 'CANCELLED', 'DUPLICATE']],
  ['REVIEW', ['TODO', 'IN_PROGRESS', 'DONE', 'FAILED', 'CANCELLED', 'DUPLICATE']],
  ['DONE', ['BACKLOG']],
  ['FAILED', ['BACKLOG', 'TODO', 'IN_PROGRESS']],
  ['CANCELLED', ['BACKLOG', 'TODO']],
  ['DUPLICATE', []],
]

export const relationTypes = ['blocks', 'blocked_by', 'relates_to', 'duplicate_of'] as const
export type RelationType = (typeof relationTypes)[number]

export const issueSorts = ['created_at', 'updated_at', 'priority', 'due_date', 'sort_order'] as const
export type IssueSort = (typeof issueSorts)[number]

/** How far the agent of an issue is: at work, waiting for a person, or done for now. */
export const sessionStatuses = ['idle', 'running', 'awaiting_input'] as const

/** Ids that one bulk change takes at most. */
export const bulkIssues = 100

const text = nullable(Type.String())
const Actor = Type.Object({ type: Type.String(), id: text, name: text })

const Inputs = Type.Record(Type.String(), Type.Unknown(), { description: 'What its routine is given' })

/** One piece of work of a crew. docs/rules/work.md, "Issues". */
export const Issue = Type.Object({
  id: Id,
  workspace_id: Id,
  crew_id: Id,
  crew_name: Type.String(),
  crew_slug: Type.String(),
  mission_type: Type.Literal('issue'),
  number: Type.Integer(),
  identifier: Type.String(),
  title: Type.String(),
  description: text,
  status: Type.Enum([...issueStatuses]),
  priority: Type.Enum([...workPriorities]),
  assignee_type: nullable(Type.Enum([...workers])),
  assignee_id: text,
  assignee_name: text,
  work_mode: Type.Enum(['agent', 'human'], { description: 'human: a person works on it' }),
  session_status: nullable(Type.Enum([...sessionStatuses], { description: 'null: no agent has been at work on it' })),
  due_date: text,
  sort_order: Type.Number(),
  project_id: text,
  project_name: text,
  milestone_id: text,
  milestone_name: text,
  parent_issue_id: text,
  estimate: nullable(Type.Integer()),
  routine_id: nullable(Type.String({ description: 'The routine that does it instead of an agent' })),
  routine_slug: text,
  routine_name: text,
  routine_inputs: nullable(Inputs),
  labels: Type.Array(Type.Object({ id: Id, name: Type.String(), color: Type.String(), label_group: text })),
  sub_issues_count: Type.Integer(),
  comment_count: Type.Integer(),
  lead_agent_id: nullable(Type.String({ description: 'LEAD of its crew' })),
  authored_via: nullable(
    Type.String({ description: '`user_api`: a person opened it; `routine`: a step of a routine did' }),
  ),
  created_by: Actor,
  created_at: Time,
  updated_at: Time,
  completed_at: nullable(Time),
})

export const IssueComment = Type.Object({
  id: Id,
  mission_id: Id,
  author_type: Type.Enum([...workers]),
  author_id: Id,
  author_name: text,
  body: Type.String(),
  created_at: Time,
  updated_at: Time,
})

export const IssueEvent = Type.Object({
  id: Id,
  mission_id: Id,
  actor_type: Type.String(),
  actor_id: text,
  actor_name: text,
  action: Type.String(),
  details: text,
  created_at: Time,
})

export const IssueRelation = Type.Object({
  id: Id,
  source_id: Id,
  target_id: Id,
  relation_type: Type.Enum([...relationTypes]),
  target_identifier: Type.String({ description: 'Of the other issue, from whichever end one looks' }),
  target_title: Type.String(),
  target_status: Type.Enum([...issueStatuses]),
  created_at: Time,
})

export const IssueRun = Type.Object({
  id: Id,
  status: Type.String({ description: 'RUNNING, COMPLETED, FAILED, CANCELLED or TIMEOUT' }),
  agent_name: text,
  routine_slug: nullable(Type.String({ description: 'of a run of a routine, in which several agents may work' })),
  task: Type.String({ description: 'what the agent was asked, in short' }),
  started_at: Type.Optional(Time),
  ended_at: Type.Optional(Time),
  duration_ms: Type.Integer({ description: 'until now, while it goes on' }),
  result_summary: nullable(Type.String({ description: 'the beginning of what the agent said last' })),
  error_message: text,
})

const listed = Type.Optional(line(500))

const filters = {
  status: Type.Optional(Type.String({ maxLength: 200, description: 'Comma-separated: any of them' })),
  priority: Type.Optional(Type.String({ maxLength: 200, description: 'Comma-separated: any of them' })),
  project_id: listed,
  assignee_id: listed,
  label: Type.Optional(Type.String({ maxLength: 100, description: 'Name of a label' })),
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Text in its title' })),
  mission_type: Type.Optional(
    Type.Enum(['', 'issue', 'orchestration'], { description: 'issue unless stated; no issue is an orchestration' }),
  ),
  sort: Type.Optional(Type.Enum([...issueSorts], { description: 'created_at unless stated' })),
  ...page,
}

const members = {
  description: Type.Optional(nullable(prose(100_000))),
  priority: Type.Optional(Type.Enum([...workPriorities], { description: 'none unless stated' })),
  assignee_type: Type.Optional(nullable(Type.Enum(['', ...workers], { description: '"" for nobody' }))),
  assignee_id: Type.Optional(
    nullable(Type.String({ description: 'Id of a member or an agent, as assignee_type says' })),
  ),
  due_date: Type.Optional(nullable(Day)),
  project_id: Type.Optional(nullable(Type.String())),
  milestone_id: Type.Optional(nullable(Type.String())),
  parent_issue_id: Type.Optional(nullable(Type.String({ description: 'Id or identifier' }))),
  estimate: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1000 }))),
  routine_id: Type.Optional(nullable(Type.String({ description: 'Id of the routine that does it; "" for none' }))),
  routine_inputs: Type.Optional(nullable(Inputs)),
  labels: Type.Optional(Type.Array(Id, { maxItems: 50, description: 'Ids of all its labels' })),
  sort_order: Type.Optional(Type.Number({ minimum: -1e9, maximum: 1e9 })),
}

const title = Type.String({ maxLength: 500, description: 'one line of at most 200 characters' })

export const IssueDraft = Type.Object({ title, ...members })
export const IssuePatch = Type.Object({
  title: Type.Optional(title),
  status: Type.Optional(Type.Enum([...issueStatuses])),
  ...members,
})

const Updates = Type.Object({
  status: Type.Optional(Type.Enum([...issueStatuses])),
  priority: members.priority,
  assignee_type: members.assignee_type,
  assignee_id: members.assignee_id,
  labels: members.labels,
  project_id: members.project_id,
})

const changing = {
  access: 'MANAGER',
  crew: 'crewId',
  scope: 'crews:write',
} as const
/** Taking an issue from its agent ends the agent's work. */
const ended = ['run.cancelled', 'assignment.cancelled', 'pipeline.run.cancelled', 'approval.cancelled'] as const
const recorded = ['mission.status_change', 'mission.assigned', ...ended] as const

/** Comments wake the agents that they mention. */
const commented = [
  'mission.comment',
  'agent.mentioned',
  'audit.entity_created',
  'chat.user_message',
  'run.started',
  'agent.status_change',
] as const

export const issues = {
  list: get('/issues', {
    summary: 'List the issues of the workspace',
    access: 'VIEWER',
    query: Type.Object({ ...filters, crew_id: listed }),
    reply: Type.Array(Issue),
  }),
  find: get('/issues/:identifier', {
    summary: 'Show an issue by its identifier or id',
    access: 'VIEWER',
    reply: Issue,
    throws: ['not_found'],
  }),
  ofCrew: get('/crews/:crewId/issues', {
    summary: 'List the issues of a crew',
    access: 'VIEWER',
    query: Type.Object(filters),
    reply: Type.Array(Issue),
    throws: ['not_found'],
  }),
  show: get('/crews/:crewId/issues/:identifier', {
    summary: 'Show an issue of a crew',
    access: 'VIEWER',
    reply: Issue,
    throws: ['not_found'],
  }),
  create: post('/crews/:crewId/issues', {
    summary: 'Create an issue',
    ...changing,
    capability: 'issue.create',
    body: IssueDraft,
    reply: Issue,
    journal: ['mission.created', 'mission.assigned'],
    throws: ['not_found'],
  }),
  update: patch('/crews/:crewId/issues/:identifier', {
    summary: 'Change an issue',
    ...changing,
    body: IssuePatch,
    reply: Issue,
    journal: recorded,
    throws: ['not_found', 'no_fields', 'transition_refused'],
  }),
  remove: del('/crews/:crewId/issues/:identifier', {
    summary: 'Delete an issue that is in BACKLOG or CANCELLED',
    ...changing,
    journal: ['mission.status_change', 'run.cancelled'],
    throws: ['not_found', 'transition_refused', 'rewind_open'],
  }),
  bulk: patch('/issues/bulk', {
    summary: 'Change several issues at once, all or none',
    access: 'MANAGER',
    scope: 'crews:write',
    body: Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: bulkIssues }), updates: Updates }),
    reply: Type.Object({ updated: Type.Integer() }),
    journal: recorded,
    throws: ['not_found', 'no_fields', 'transition_refused'],
  }),
  review: post('/crews/:crewId/issues/:identifier/review', {
    summary: 'Approve what was done on an issue, or ask for changes',
    ...changing,
    status: 200,
    body: Type.Object({
      action: Type.Enum(['approve', 'request_changes']),
      comment: Type.Optional(nullable(prose(20_000))),
      reassign_to: Type.Optional(nullable(Type.String({ description: 'Id of the agent or member who goes on' }))),
    }),
    reply: Type.Object({ status: Type.Literal('ok'), action: Type.String() }),
    journal: [...recorded, ...commented],
    throws: ['not_found', 'transition_refused'],
  }),
  start: post('/crews/:crewId/issues/:identifier/start', {
    summary: 'Let the agent or the routine of an issue work on it',
    ...changing,
    status: 200,
    reply: Type.Object({
      status: Type.String({ description: 'IN_PROGRESS' }),
      identifier: Type.String(),
      run_id: Id,
      chat_id: nullable(Type.String({ description: "the agent's chat about the issue; null for a routine" })),
      routine_slug: nullable(Type.String({ description: 'the routine that does it, whose run this is' })),
    }),
    journal: [
      'mission.status_change',
      'run.started',
      'agent.status_change',
      'audit.entity_created',
      'pipeline.run.started',
    ],
    throws: [
      'not_found',
      'transition_refused',
      'chat_busy',
      'agent_pending_review',
      'agent_expired',
      'crew_not_running',
      'runtime_unavailable',
      'unavailable',
      ...startRefusals,
    ],
  }),
  stop: post('/crews/:crewId/issues/:identifier/stop', {
    summary: 'End the runs of an issue, which goes back to TODO',
    ...changing,
    status: 200,
    reply: Type.Object({ status: Type.Enum([...issueStatuses]), identifier: Type.String() }),
    journal: ['mission.status_change', ...ended],
    throws: ['not_found', 'transition_refused'],
  }),
  runs: get('/crews/:crewId/issues/:identifier/runs', {
    summary: 'List the runs of an issue, newest first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(IssueRun),
    throws: ['not_found'],
  }),
  subtasks: get('/crews/:crewId/issues/:identifier/subtasks', {
    summary: 'List the issues below an issue',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(Issue),
    throws: ['not_found'],
  }),
  activity: get('/crews/:crewId/issues/:identifier/activity', {
    summary: 'List what happened to an issue, newest first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(IssueEvent),
    throws: ['not_found'],
  }),
  comments: get('/crews/:crewId/issues/:identifier/comments', {
    summary: 'List the comments on an issue, oldest first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(IssueComment),
    throws: ['not_found'],
  }),
  comment: post('/crews/:crewId/issues/:identifier/comments', {
    summary: 'Comment on an issue',
    ...changing,
    access: 'MEMBER',
    body: Type.Object({ body: prose(20_000) }),
    reply: IssueComment,
    journal: commented,
    throws: ['not_found'],
  }),
  relations: get('/crews/:crewId/issues/:identifier/relations', {
    summary: 'List how an issue is related to others',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(IssueRelation),
    throws: ['not_found'],
  }),
  relate: post('/crews/:crewId/issues/:identifier/relations', {
    summary: 'Relate an issue to another one',
    ...changing,
    body: Type.Object({
      target_identifier: Type.String({ maxLength: 64 }),
      relation_type: Type.Enum([...relationTypes]),
    }),
    reply: Type.Object({ id: Id, status: Type.Literal('ok') }),
    journal: ['mission.status_change'],
    throws: ['not_found', 'relation_exists'],
  }),
  unrelate: del('/relations/:relationId', {
    summary: 'Remove a relation of two issues',
    access: 'MANAGER',
    scope: 'crews:write',
    status: 200,
    reply: Type.Object({ status: Type.Literal('ok') }),
    journal: ['mission.status_change'],
    throws: ['not_found'],
  }),
}
