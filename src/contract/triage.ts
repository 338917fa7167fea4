import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, line, Name, nullable, page, Time } from './fields.ts'

export const matchTypes = ['contains', 'regex', 'exact'] as const
export type MatchType = (typeof matchTypes)[number]
export const triagePriorities = ['low', 'normal', 'high', 'urgent', 'none'] as const
export type TriagePriority = (typeof triagePriorities)[number]

/** The most rules that a workspace has. */
export const mostTriageRules = 500

const text = nullable(Type.String())

/** What becomes of new issues, by their titles. docs/rules/work.md, "Triage". */
export const TriageRule = Type.Object({
  id: Id,
  name: Type.String(),
  pattern: Type.String(),
  match_type: Type.Enum([...matchTypes]),
  crew_id: text,
  assignee_id: text,
  project_id: text,
  priority: nullable(Type.Enum([...triagePriorities])),
  labels_json: text,
  position: Type.Integer(),
  enabled: Type.Boolean(),
  match_count: Type.Integer(),
  created_at: Time,
})

const Pattern = Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000]*$' })
const MatchType = Type.Enum([...matchTypes], {
  description: 'contains: whatever the case; regex: without lookaround and back-references; exact: the whole title',
})

const outcome = {
  crew_id: Type.Optional(nullable(Type.String())),
  assignee_id: Type.Optional(nullable(Type.String({ description: 'Id of an agent' }))),
  project_id: Type.Optional(nullable(Type.String())),
  priority: Type.Optional(nullable(Type.Enum(['', ...triagePriorities]))),
  labels_json: Type.Optional(nullable(line(10_000))),
}

export const TriageRulePatch = Type.Object({
  name: Type.Optional(Name),
  pattern: Type.Optional(Pattern),
  match_type: Type.Optional(MatchType),
  ...outcome,
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  enabled: Type.Optional(Type.Boolean()),
})

export const triage = {
  list: get('/triage-rules', {
    summary: 'List triage rules in the order in which they are tried',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(TriageRule),
  }),
  create: post('/triage-rules', {
    summary: 'Create a triage rule, which is tried after the others',
    access: 'MANAGER',
    scope: 'crews:write',
    body: Type.Object({ name: Name, pattern: Pattern, match_type: MatchType, ...outcome }),
    reply: TriageRule,
    journal: ['audit.entity_created'],
    entity: 'triage_rule',
    throws: ['triage_rules_full'],
  }),
  update: patch('/triage-rules/:ruleId', {
    summary: 'Change a triage rule',
    access: 'MANAGER',
    scope: 'crews:write',
    body: TriageRulePatch,
    reply: TriageRule,
    journal: ['audit.entity_updated'],
    entity: 'triage_rule',
    throws: ['not_found', 'no_fields'],
  }),
  remove: del('/triage-rules/:ruleId', {
    summary: 'Delete a triage rule',
    access: 'ADMIN',
    scope: 'crews:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  process: post('/triage/process', {
    summary: 'Try the rules on all issues of the backlog that nobody works on',
    access: 'MANAGER',
    scope: 'crews:write',
    status: 200,
    body: Type.Object({}),
    bodyOptional: true,
    reply: Type.Object({ processed: Type.Integer(), matched: Type.Integer() }),
    journal: ['mission.assigned', 'mission.status_change'],
  }),
}
