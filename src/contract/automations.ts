import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { severities } from './entries/define.ts'
import { Id, line, nullable, Time } from './fields.ts'

/** The most automations that a workspace has. */
export const mostAutomations = 1000

export const [defaultDebounceSeconds, defaultMaxPerHour] = [10, 60]

const free = Type.Record(Type.String(), Type.Unknown())
const ids = Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 }))

/** What an entry must be; what is not stated matches any. */
export const Matcher = Type.Object(
  {
    crew_ids: ids,
    agent_ids: ids,
    mission_ids: ids,
    severities: Type.Optional(Type.Array(Type.Enum([...severities]), { maxItems: 4 })),
    payload_equals: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), { description: 'Members of the payload' }),
    ),
  },
  { additionalProperties: false },
)

/** What begins by itself when the journal has a matching entry. docs/automations.md. */
export const Automation = Type.Object({
  id: Id,
  workspace_id: Id,
  name: Type.String(),
  enabled: Type.Boolean(),
  event_type: Type.String({ description: 'One entry type' }),
  matcher: free,
  action_kind: Type.Literal('routine'),
  action: Type.Object({ routine_slug: Type.String(), inputs: Type.Optional(free) }),
  debounce_seconds: Type.Integer(),
  max_per_hour: Type.Integer(),
  created_by: Type.Optional(Type.String()),
  created_at: Time,
  updated_at: Time,
})

const EventType = Type.String({
  maxLength: 100,
  pattern: '^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$',
  description: 'an entry type such as run.failed',
})
const slug = Type.String({ maxLength: 64, description: 'A routine of the workspace' })
const inputs = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Inputs of the run; {{ event.crew_id }} and the like within texts',
  }),
)
const members = {
  matcher: Type.Optional(Matcher),
  enabled: Type.Optional(Type.Boolean({ description: 'true unless stated' })),
  debounce_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600, description: '10 unless stated' })),
  max_per_hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description: '60 unless stated, or for 0' })),
}

/** An entry of the journal. */
const Sample = Type.Object({
  id: Id,
  workspace_id: Id,
  crew_id: Type.Optional(Id),
  agent_id: Type.Optional(Id),
  mission_id: Type.Optional(Id),
  ts: Time,
  entry_type: Type.String(),
  severity: Type.String(),
  priority: Type.String(),
  actor_type: Type.String(),
  actor_id: Type.Optional(Id),
  summary: Type.String(),
  payload: Type.Optional(free),
  refs: Type.Optional(free),
  trace_id: Type.Optional(Id),
})

const changing = { access: 'ADMIN', scope: 'workspace:admin' } as const

export const automations = {
  list: get('/automations', {
    summary: 'List automations, newest first',
    access: 'VIEWER',
    workspace: 'only',
    reply: Type.Object({ automations: Type.Array(Automation), count: Type.Integer() }),
  }),
  create: post('/automations', {
    summary: 'Create an automation',
    ...changing,
    body: Type.Object({
      name: line(100),
      event_type: EventType,
      action: Type.Object({ routine_slug: slug, inputs }),
      ...members,
    }),
    reply: Automation,
    journal: ['audit.entity_created'],
    entity: 'automation',
    throws: ['automations_full', 'body_over_limit'],
  }),
  update: patch('/automations/:automationId', {
    summary: 'Change an automation',
    ...changing,
    body: Type.Object({
      name: Type.Optional(line(100)),
      event_type: Type.Optional(EventType),
      action: Type.Optional(
        Type.Object({ routine_slug: Type.Optional(nullable(slug)), inputs }, { description: 'Written as a whole' }),
      ),
      ...members,
    }),
    reply: Automation,
    journal: ['audit.entity_updated'],
    entity: 'automation',
    throws: ['not_found', 'no_fields', 'body_over_limit'],
  }),
  remove: del('/automations/:automationId', {
    summary: 'Delete an automation',
    ...changing,
    status: 200,
    reply: Type.Object({ status: Type.Literal('deleted'), id: Id }),
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  preview: post('/automations/preview', {
    summary: 'Show which entries of the last week an automation would have matched',
    access: 'MANAGER',
    scope: 'workspace:admin',
    status: 200,
    body: Type.Object({
      automation_id: Type.Optional(Type.String({ maxLength: 64 })),
      event_type: Type.Optional(EventType),
      matcher: Type.Optional(Matcher),
    }),
    reply: Type.Object({
      event_type: Type.String(),
      window_hours: Type.Integer(),
      scanned: Type.Integer({ description: 'At most the newest 500; 0: there is nothing to judge by' }),
      matched: Type.Integer(),
      samples: Type.Array(Sample, { description: 'At most 5 entries that match' }),
      top_rejection: Type.Object({
        clause: Type.Optional(Type.String()),
        count: Type.Optional(Type.Integer()),
        detail: Type.Optional(Type.String()),
        key_absent: Type.Optional(Type.Boolean({ description: 'No entry has that member of the payload' })),
      }),
    }),
    journal: false,
    throws: ['not_found', 'missing_field'],
  }),
}
