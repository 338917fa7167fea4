import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, line, Name, nullable, page, prose } from './fields.ts'
import { mostSteps, templateMembers, templateRow } from './workflows.ts'

const Name64 = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' })

/** One step of a plan. `depends_on` names steps that are done before it. */
export const Step = Type.Object({
  id: Name64,
  title: line(200),
  agent_role: Type.Optional(nullable(line(100))),
  depends_on: Type.Optional(nullable(Type.Array(Name64, { maxItems: mostSteps }))),
  max_iterations: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 100, description: 'how often it may be done' })),
  ),
  loop_back_to: Type.Optional(
    nullable(Type.String({ maxLength: 64, description: 'Id of an earlier step, to which it goes back on failure' })),
  ),
})

/** A step plan. docs/rules/work.md, "Workflow templates". */
export const Plan = Type.Object({
  name: Type.Optional(nullable(line(200))),
  description: Type.Optional(nullable(prose(5000))),
  steps: Type.Array(Step, { minItems: 1, maxItems: mostSteps }),
})

export const PlanTemplate = Type.Object({ ...templateRow, workspace_id: Id, template_json: Plan })

export const PlanPatch = Type.Object({
  name: Type.Optional(nullable(Name)),
  template_json: Type.Optional(Plan),
  ...templateMembers,
})

const changing = { access: 'MANAGER', scope: 'crews:write' } as const
const Made = Type.Object({ id: Id })

export const plans = {
  list: get('/templates', {
    summary: 'List step plans, those that come with Muster first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(PlanTemplate),
  }),
  show: get('/templates/:planId', {
    summary: 'Show a step plan',
    access: 'VIEWER',
    reply: PlanTemplate,
    throws: ['not_found'],
  }),
  create: post('/templates', {
    summary: 'Create a step plan',
    ...changing,
    body: Type.Object({ name: Name, template_json: Plan, ...templateMembers }),
    reply: Made,
    journal: ['audit.entity_created'],
    throws: ['name_taken', 'templates_full'],
  }),
  update: patch('/templates/:planId', {
    summary: 'Change a step plan',
    ...changing,
    status: 200,
    body: PlanPatch,
    reply: Made,
    journal: ['audit.entity_updated'],
    throws: ['not_found', 'no_fields', 'name_taken', 'builtin_kept'],
  }),
  remove: del('/templates/:planId', {
    summary: 'Delete a step plan',
    ...changing,
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'builtin_kept'],
  }),
}
