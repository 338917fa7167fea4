import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, nullable, page, Time } from './fields.ts'
import { roles } from './roles.ts'
import { User } from './users.ts'

export const CrewMember = Type.Object({
  id: Id,
  crew_id: Id,
  user_id: Id,
  role: nullable(
    Type.Enum([...roles], {
      description: 'Counts in this crew when it is higher than the role in the workspace; null: that one',
    }),
  ),
  created_at: Time,
  user: User,
})

/** The part of the crews' interface that concerns the people in them. */
export const crewMembers = {
  members: get('/crews/:crewId/members', {
    summary: 'List the members of a crew, oldest first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(CrewMember),
    throws: ['not_found'],
  }),
  addMember: post('/crews/:crewId/members', {
    summary: 'Add a member of the workspace to a crew, with a role there if wanted',
    access: 'MANAGER',
    crew: 'crewId',
    scope: 'crews:write',
    body: Type.Object({
      user_id: Id,
      role: Type.Optional(nullable(Type.Enum([...roles], { description: 'Not above your own' }))),
    }),
    reply: CrewMember,
    journal: ['audit.entity_created'],
    throws: ['not_found', 'already_member'],
  }),
  setMember: patch('/crews/:crewId/members/:memberId', {
    summary: 'Change the role of a member of a crew',
    access: 'ADMIN',
    crew: 'crewId',
    scope: 'crews:write',
    body: Type.Object({
      role: nullable(Type.Enum([...roles, ''], { description: 'Empty: the role in the workspace' })),
    }),
    reply: CrewMember,
    journal: ['audit.entity_updated'],
    throws: ['not_found'],
  }),
  removeMember: del('/crews/:crewId/members/:memberId', {
    summary: 'Take a member out of a crew',
    access: 'ADMIN',
    crew: 'crewId',
    scope: 'crews:write',
    status: 200,
    reply: Type.Object({ success: Type.Boolean() }),
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
