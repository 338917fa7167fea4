import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Day, descriptionBytes, Id, Name, nullable, page, proseOfBytes, Time } from './fields.ts'

export const milestoneStatuses = ['active', 'completed', 'cancelled'] as const
export type MilestoneStatus = (typeof milestoneStatuses)[number]

/** A step on the way of a project. docs/rules/work.md, "Projects". */
export const Milestone = Type.Object({
  id: Id,
  project_id: Id,
  name: Type.String(),
  description: nullable(Type.String()),
  target_date: nullable(Type.String()),
  status: Type.Enum([...milestoneStatuses]),
  position: Type.Integer(),
  issue_count: Type.Integer(),
  done_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})

const members = {
  description: Type.Optional(nullable(proseOfBytes(descriptionBytes))),
  target_date: Type.Optional(nullable(Day)),
  status: Type.Optional(Type.Enum([...milestoneStatuses], { description: 'active unless stated' })),
  position: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100_000, description: 'Its place; the last one unless stated' }),
  ),
}

export const MilestonePatch = Type.Object({ name: Type.Optional(Name), ...members })

export const milestones = {
  list: get('/projects/:projectId/milestones', {
    summary: 'List the milestones of a project, by their place',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(Milestone),
    throws: ['not_found'],
  }),
  create: post('/projects/:projectId/milestones', {
    summary: 'Create a milestone of a project',
    access: 'MANAGER',
    scope: 'crews:write',
    body: Type.Object({ name: Name, ...members }),
    reply: Milestone,
    journal: ['audit.entity_created'],
    entity: 'milestone',
    throws: ['not_found', 'name_taken'],
  }),
  update: patch('/milestones/:milestoneId', {
    summary: 'Change a milestone',
    access: 'MANAGER',
    scope: 'crews:write',
    body: MilestonePatch,
    reply: Milestone,
    journal: ['audit.entity_updated'],
    entity: 'milestone',
    throws: ['not_found', 'no_fields', 'name_taken'],
  }),
  remove: del('/milestones/:milestoneId', {
    summary: 'Delete a milestone; its issues stay',
    access: 'ADMIN',
    scope: 'crews:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
