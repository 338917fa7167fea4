import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, line, Name, nullable, page, prose, Time } from './fields.ts'

export const stageTypes = ['open', 'started', 'completed', 'cancelled'] as const
export type StageType = (typeof stageTypes)[number]

/** The most workflow templates, and the most step plans, that a workspace has. */
export const mostTemplates = 200

/** The most stages or steps of a template, and the most bytes that it is stored in. */
export const mostStages = 50
export const mostSteps = 100
export const templateBytes = 64 * 1024

const text = nullable(Type.String())

/** A color of the web; "" for none. */
const NoColor = Type.String({
  maxLength: 7,
  pattern: '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}))?$',
  description: '#RGB or #RRGGBB; "" for none',
})

/** What workflow templates and step plans have alike. */
export const templateRow = {
  id: Id,
  name: Type.String(),
  description: text,
  icon: text,
  color: text,
  is_builtin: Type.Boolean({ description: 'Comes with Muster; nobody changes it' }),
  created_at: Time,
  updated_at: Time,
}

/** What people set of either. */
export const templateMembers = {
  description: Type.Optional(nullable(prose(5000))),
  icon: Type.Optional(nullable(line(50))),
  color: Type.Optional(nullable(NoColor)),
}

/** The stages that issues go through. docs/rules/work.md, "Workflow templates". */
export const WorkflowTemplate = Type.Object({
  ...templateRow,
  template_json: Type.String({ description: 'JSON array of stages: name, type, position, color' }),
})

const Stages = Type.String({
  maxLength: templateBytes,
  description: `JSON array of stages, each with name, type (${stageTypes.join(', ')}), position and perhaps color`,
})

export const WorkflowPatch = Type.Object({
  name: Type.Optional(nullable(Name)),
  template_json: Type.Optional(nullable(Stages)),
  ...templateMembers,
})

const changing = { access: 'MANAGER', scope: 'crews:write' } as const

export const workflows = {
  list: get('/workflow-templates', {
    summary: 'List workflow templates, those that come with Muster first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(WorkflowTemplate),
  }),
  show: get('/workflow-templates/:workflowId', {
    summary: 'Show a workflow template',
    access: 'VIEWER',
    reply: WorkflowTemplate,
    throws: ['not_found'],
  }),
  create: post('/workflow-templates', {
    summary: 'Create a workflow template',
    ...changing,
    body: Type.Object({ name: Name, template_json: Stages, ...templateMembers }),
    reply: WorkflowTemplate,
    journal: ['audit.entity_created'],
    entity: 'workflow_template',
    throws: ['name_taken', 'templates_full'],
  }),
  update: patch('/workflow-templates/:workflowId', {
    summary: 'Change a workflow template',
    ...changing,
    body: WorkflowPatch,
    reply: WorkflowTemplate,
    journal: ['audit.entity_updated'],
    entity: 'workflow_template',
    throws: ['not_found', 'no_fields', 'name_taken', 'builtin_kept'],
  }),
  remove: del('/workflow-templates/:workflowId', {
    summary: 'Delete a workflow template',
    ...changing,
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'builtin_kept'],
  }),
}
