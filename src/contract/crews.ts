import { Type } from 'typebox'
import { del, get, patch, post, put } from './define.ts'
import { Id, line, nullable, page, prose, Slug, Time } from './fields.ts'

export const crewColors = ['blue', 'emerald', 'violet', 'amber', 'rose', 'cyan', 'lime', 'fuchsia'] as const
export const networkModes = ['restricted', 'free'] as const
export const containerStates = ['running', 'creating', 'stopped', 'error', 'not_configured', 'unknown'] as const

/** Hours a crew may be idle when it names none. */
export const defaultTtlHours = 4

/** Members of the full contract that have no effect in this version: a value for one of them is refused, not stored. */
export const laterCrewMembers = ['devcontainer_config', 'mise_config', 'services_json', 'mcp_config_json'] as const

/** Below this an agent is not sure enough of its work where the crew does not say: a person looks at it. */
export const unsureBelow = 0.5

const sure = (description: string) => Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1, description })))

/** How sure agents must be of the tasks of missions, from 0 to 1. docs/rules/work.md, "Missions". */
export const EscalationConfig = Type.Object({
  require_approval_below: sure(`A person must approve results below it; ${unsureBelow} unless stated`),
  notify_threshold: sure('People are told of results below it; nobody unless stated'),
  auto_approve_threshold: sure('Results from it need no approval that a task asks for; none unless stated'),
})

export const Crew = Type.Object({
  id: Id,
  workspace_id: Id,
  name: Type.String(),
  slug: Type.String(),
  description: nullable(Type.String()),
  icon: nullable(Type.String()),
  color: nullable(Type.String()),
  container_memory_mb: Type.Integer(),
  container_cpus: Type.Number(),
  container_ttl_hours: nullable(
    Type.Integer({ description: `Null: ${defaultTtlHours}; 0: never stopped for being idle` }),
  ),
  network_mode: Type.Enum(networkModes),
  network_mode_enforced: Type.Boolean(),
  network_mode_unenforced_reason: nullable(Type.String()),
  allowed_domains: Type.Array(Type.String()),
  allow_private_endpoints: Type.Boolean(),
  runtime_image: nullable(Type.String({ description: "Null: the server's crew image" })),
  avatar_style: nullable(Type.String()),
  issue_prefix: nullable(Type.String()),
  max_ephemeral_agents: Type.Integer(),
  max_concurrent_agents: nullable(
    Type.Integer({ description: 'Delegated runs at once; null: one for every 2048 MB of memory' }),
  ),
  escalation_config: nullable(EscalationConfig),
  created_at: Time,
  updated_at: Time,
  _count: Type.Object({ agents: Type.Integer(), members: Type.Integer() }),
  warnings: Type.Optional(Type.Array(Type.String(), { description: 'What was stored but deserves a second look' })),
})

const members = {
  name: line(100),
  slug: Slug,
  description: Type.Optional(nullable(prose(4000))),
  icon: Type.Optional(nullable(line(64))),
  color: Type.Optional(nullable(Type.Enum([...crewColors, '']))),
  container_memory_mb: Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: 262144, description: "From 6; 0 or null: the server's default" })),
  ),
  container_cpus: Type.Optional(
    nullable(Type.Number({ minimum: 0, maximum: 512, description: "From 0.01; 0 or null: the server's default" })),
  ),
  container_ttl_hours: Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: 87600, description: '0: never stopped for being idle' })),
  ),
  network_mode: Type.Optional(Type.Enum(networkModes)),
  allowed_domains: Type.Optional(
    Type.Array(Type.String(), { maxItems: 500, description: 'Exact hosts or *.host; only when restricted' }),
  ),
  allow_private_endpoints: Type.Optional(Type.Boolean()),
  runtime_image: Type.Optional(nullable(line(255))),
  avatar_style: Type.Optional(nullable(line(100))),
  issue_prefix: Type.Optional(
    nullable(
      Type.String({ pattern: '^([A-Z][A-Z0-9]{0,9})?$', description: 'A letter and up to 9 letters or digits' }),
    ),
  ),
  max_ephemeral_agents: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  max_concurrent_agents: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1000 }))),
  escalation_config: Type.Optional(
    nullable(
      Type.Object(EscalationConfig.properties, { description: 'Members that are given change; null clears all of it' }),
    ),
  ),
}

export const CrewDraft = Type.Object(members)
export const CrewPatch = Type.Partial(Type.Object(members))

export const ContainerReply = Type.Object({
  crew_id: Id,
  slug: Type.String(),
  container_id: nullable(Type.String()),
  status: Type.Enum(containerStates),
  notices: Type.Optional(Type.Array(Type.String())),
})

export const ContainerStatusReply = Type.Object({
  crew_id: Id,
  slug: Type.String(),
  container_id: nullable(Type.String()),
  status: Type.Enum(containerStates),
  desired: Type.Enum(['running', 'stopped']),
  uptime: nullable(Type.Integer({ description: 'Seconds' })),
  started_at: nullable(Type.String()),
  runtime_contract: nullable(Type.Enum(['current', 'stale'])),
  configured_memory_mb: Type.Integer(),
  effective_memory_mb: nullable(Type.Integer()),
  configured_cpus: Type.Number(),
  effective_cpus: nullable(Type.Number()),
  config_drift: Type.Array(Type.String()),
  error: nullable(Type.String()),
})

const changing = {
  summary: 'Change a crew',
  access: 'ADMIN',
  crew: 'crewId',
  scope: 'crews:write',
  body: CrewPatch,
  reply: Crew,
  journal: ['audit.entity_updated'],
  entity: 'crew',
  throws: ['not_found', 'slug_taken', 'no_fields'],
} as const

const container = {
  access: 'MANAGER',
  crew: 'crewId',
  scope: 'crews:write',
  status: 200,
  reply: ContainerReply,
  journal: ['audit.entity_updated'],
  throws: ['not_found', 'runtime_failed', 'runtime_unavailable'],
} as const

export const crews = {
  list: get('/crews', {
    summary: 'List crews, newest first',
    access: 'VIEWER',
    query: Type.Object(page),
    reply: Type.Array(Crew),
  }),
  create: post('/crews', {
    summary: 'Create a crew',
    access: 'MANAGER',
    scope: 'crews:write',
    body: CrewDraft,
    reply: Crew,
    journal: ['audit.entity_created'],
    entity: 'crew',
    throws: ['slug_taken'],
  }),
  show: get('/crews/:crewId', { summary: 'Show a crew', access: 'VIEWER', reply: Crew, throws: ['not_found'] }),
  /** PUT is PATCH under another verb, for clients that know no other. */
  update: patch('/crews/:crewId', changing),
  replace: put('/crews/:crewId', changing),
  remove: del('/crews/:crewId', {
    summary: 'Delete a crew, its agents and its container',
    access: 'ADMIN',
    crew: 'crewId',
    scope: 'crews:write',
    status: 200,
    reply: Type.Object({ success: Type.Boolean() }),
    journal: ['audit.entity_deleted'],
    entity: 'crew',
    throws: ['not_found'],
  }),
  start: post('/crews/:crewId/container-start', { summary: 'Bring the container of a crew up', ...container }),
  stop: post('/crews/:crewId/container-stop', { summary: 'Stop the container of a crew', ...container }),
  status: get('/crews/:crewId/container-status', {
    summary: 'Say how the container of a crew is',
    access: 'VIEWER',
    reply: ContainerStatusReply,
    throws: ['not_found'],
  }),
  logs: get('/crews/:crewId/container-logs', {
    summary: 'Last lines that the container of a crew printed',
    access: 'MANAGER',
    crew: 'crewId',
    kind: 'text',
    query: Type.Object({
      tail: Type.Optional(
        Type.Unsafe<number | string>({
          type: ['integer', 'string'],
          description: 'Lines, 1 to 5000; 200 unless stated',
        }),
      ),
    }),
    throws: ['not_found', 'runtime_failed', 'runtime_unavailable'],
  }),
}
