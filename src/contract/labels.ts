import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Color, Id, line, Name, nullable, page, Time } from './fields.ts'

/** A mark for issues, known to a whole workspace. docs/rules/work.md, "Labels". */
export const Label = Type.Object({
  id: Id,
  name: Type.String(),
  color: Color,
  label_group: nullable(Type.String({ description: 'Labels of one group are shown together' })),
  created_at: Time,
})

const members = {
  label_group: Type.Optional(nullable(line(100))),
}

export const labels = {
  list: get('/labels', {
    summary: 'List the labels of the workspace, by name',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(Label),
  }),
  create: post('/labels', {
    summary: 'Create a label',
    access: 'MANAGER',
    scope: 'crews:write',
    body: Type.Object({ name: Name, color: Color, ...members }),
    reply: Label,
    journal: ['audit.entity_created'],
    entity: 'label',
    throws: ['name_taken'],
  }),
  update: patch('/labels/:labelId', {
    summary: 'Change a label, on all issues that have it',
    access: 'ADMIN',
    scope: 'crews:write',
    body: Type.Object({ name: Type.Optional(Name), color: Type.Optional(Color), ...members }),
    reply: Label,
    journal: ['audit.entity_updated'],
    entity: 'label',
    throws: ['not_found', 'no_fields', 'name_taken'],
  }),
  remove: del('/labels/:labelId', {
    summary: 'Delete a label, and take it off all issues',
    access: 'ADMIN',
    scope: 'crews:write',
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
}
