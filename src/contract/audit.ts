import { Type } from 'typebox'
import { get } from './define.ts'
import { nullable, Time } from './fields.ts'

export const auditSources = ['workspace', 'crews', 'credentials', 'keeper'] as const
export type AuditSource = (typeof auditSources)[number]

const count = Type.Integer({ minimum: 0 })
const text = (description: string, maxLength = 100) => Type.Optional(Type.String({ maxLength, description }))
const number = (description: string) =>
  Type.Optional(Type.Unsafe<number | string>({ type: ['integer', 'string'], description }))

/** Who changed what: an entry of the journal that records a creation, a change, a deletion or a restoration. */
export const AuditRow = Type.Object({
  id: Type.String({ description: 'The entry of the journal' }),
  action: Type.String(),
  entity_type: Type.String({ description: 'Such as AGENT, CREW, CREW_LINK, CREDENTIAL, WorkspaceMember, WORKSPACE' }),
  entity_id: nullable(Type.String()),
  entity_name: nullable(Type.String()),
  summary: Type.String(),
  metadata: Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
  ip_address: Type.Null({ description: 'Not recorded' }),
  user_agent: Type.Null({ description: 'Not recorded' }),
  actor_type: Type.String(),
  actor_id: nullable(Type.String()),
  user: Type.Union(
    [Type.Object({ id: Type.String(), email: Type.String(), full_name: nullable(Type.String()) }), Type.Null()],
    { description: 'The person who did it, as they are called now' },
  ),
  created_at: Time,
})

/** What was changed in a workspace and by whom, read from its journal. docs/administration.md. */
export const audit = {
  list: get('/audit', {
    summary: 'List what was changed in the workspace and by whom, newest first',
    access: 'ADMIN',
    query: Type.Object({
      page: number('From 1; 1 unless stated'),
      limit: number('Rows of a page; 50 unless stated, 200 at most'),
      source: Type.Optional(Type.Enum([...auditSources], { description: 'Only what concerns these' })),
      entity_type: text('Only things of this kind, in any case'),
      action: text('Only this action, such as create'),
      user_id: text('Only what this person did'),
      date_from: text('Only from this day or time on'),
      date_to: text('Only before this time, or up to the end of this day'),
    }),
    reply: Type.Object({
      data: Type.Array(AuditRow),
      pagination: Type.Object({ page: count, limit: count, total: count, total_pages: count }),
    }),
    throws: ['unavailable'],
  }),
}
