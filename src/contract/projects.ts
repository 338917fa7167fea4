import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Color, Day, descriptionBytes, Id, line, Name, nullable, page, proseOfBytes, Time } from './fields.ts'

export const workPriorities = ['none', 'low', 'medium', 'high', 'urgent'] as const
export type Priority = (typeof workPriorities)[number]
export const projectStatuses = ['backlog', 'planned', 'in_progress', 'paused', 'completed', 'cancelled'] as const
export type ProjectStatus = (typeof projectStatuses)[number]
export const healths = ['on_track', 'at_risk', 'off_track'] as const
export type Health = (typeof healths)[number]
export const workers = ['user', 'agent'] as const
export type Worker = (typeof workers)[number]

const text = nullable(Type.String())

/** What issues of several crews belong to. docs/rules/work.md, "Projects". */
export const Project = Type.Object({
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  description: text,
  icon: text,
  color: Color,
  status: Type.Enum([...projectStatuses]),
  priority: Type.Enum([...workPriorities]),
  health: Type.Enum([...healths]),
  lead_type: nullable(Type.Enum([...workers])),
  lead_id: nullable(Id),
  lead_name: text,
  start_date: text,
  target_date: text,
  issue_count: Type.Integer(),
  done_count: Type.Integer(),
  progress: Type.Integer({ description: 'Percent of its issues that are done' }),
  created_at: Time,
  updated_at: Time,
})

/** How far the issues of a project are. */
export const ProjectStats = Type.Object({
  total_issues: Type.Integer(),
  completed_issues: Type.Integer({ description: 'those that are DONE' }),
  by_status: Type.Record(Type.String(), Type.Integer()),
  by_assignee: Type.Array(
    Type.Object({
      agent_id: Type.String({ description: 'of the agent, or of the member' }),
      agent_name: text,
      assignee_type: Type.Enum([...workers]),
      total: Type.Integer(),
      completed: Type.Integer(),
    }),
    { description: 'who has most of them first' },
  ),
  by_label: Type.Array(Type.Object({ label_name: Type.String(), color: Type.String(), count: Type.Integer() })),
  crews: Type.Array(Type.String(), { description: 'names of the crews that its issues are of' }),
})

const members = {
  description: Type.Optional(nullable(proseOfBytes(descriptionBytes))),
  icon: Type.Optional(nullable(line(50))),
  color: Type.Optional(Color),
  status: Type.Optional(Type.Enum([...projectStatuses], { description: 'planned unless stated' })),
  priority: Type.Optional(Type.Enum([...workPriorities], { description: 'none unless stated' })),
  health: Type.Optional(Type.Enum([...healths], { description: 'on_track unless stated' })),
  lead_type: Type.Optional(nullable(Type.Enum(['', ...workers], { description: '"" for nobody' }))),
  lead_id: Type.Optional(nullable(Type.String({ description: 'Id of a member or an agent, as lead_type says' }))),
  start_date: Type.Optional(nullable(Day)),
  target_date: Type.Optional(nullable(Day)),
}

export const ProjectDraft = Type.Object({ name: Name, ...members })
export const ProjectPatch = Type.Object({ name: Type.Optional(Name), ...members })

export const projects = {
  list: get('/projects', {
    summary: 'List the projects of the workspace, newest first',
    access: 'VIEWER',
    query: Type.Object({ status: Type.Optional(Type.Enum([...projectStatuses])), ...page }),
    reply: Type.Array(Project),
  }),
  create: post('/projects', {
    summary: 'Create a project',
    access: 'MANAGER',
    scope: 'crews:write',
    body: ProjectDraft,
    reply: Project,
    journal: ['audit.entity_created'],
    entity: 'project',
    throws: ['name_taken', 'not_found'],
  }),
  show: get('/projects/:projectId', {
    summary: 'Show a project',
    access: 'VIEWER',
    reply: Project,
    throws: ['not_found'],
  }),
  stats: get('/projects/:projectId/stats', {
    summary: 'Count the issues of a project by status, assignee and label',
    access: 'VIEWER',
    reply: ProjectStats,
    throws: ['not_found'],
  }),
  update: patch('/projects/:projectId', {
    summary: 'Change a project',
    access: 'MANAGER',
    scope: 'crews:write',
    body: ProjectPatch,
    reply: Project,
    journal: ['audit.entity_updated'],
    entity: 'project',
    throws: ['not_found', 'no_fields', 'name_taken'],
  }),
  remove: del('/projects/:projectId', {
    summary: 'Delete a project and its milestones; its issues stay',
    access: 'ADMIN',
    scope: 'crews:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
