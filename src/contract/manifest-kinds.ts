import { type TSchema, Type } from 'typebox'
import { AgentDraft } from './agents.ts'
import { credentialProviders, credentialTypes } from './credentials.ts'
import { CrewTemplateDraft } from './crew-templates.ts'
import { CrewDraft } from './crews.ts'
import { Color, Day, line, Name, nullable, prose, proseOfBytes, Slug } from './fields.ts'
import { milestoneStatuses } from './milestones.ts'
import { autonomyLevels, behaviorModes } from './policies.ts'
import { healths, projectStatuses, workPriorities } from './projects.ts'
import { skillFileBytes } from './skills.ts'
import { matchTypes, triagePriorities } from './triage.ts'
import { stageTypes } from './workflows.ts'
import { Language } from './workspaces.ts'

/** What every document begins with. */
export const manifestVersion = 'svc/v1'

/** Where a member of a thing stands in its document, and what it may be. */
export type ManifestMember = readonly [path: string, schema: TSchema]
export type ManifestMembers = Readonly<Record<string, ManifestMember>>

/** Kinds of documents that the full format has and this version does not take. */
export const laterKinds = ['Issue', 'Integration', 'Recipe', 'InstanceSetting'] as const

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)
const prompt = optional(nullable(proseOfBytes(65_536)))
const names = (description: string) =>
  optional(Type.Array(line(128), { maxItems: 500, uniqueItems: true, description }))
const crewName = optional(nullable(Type.String({ maxLength: 64, description: 'The slug of a crew' })))

const { name: _name, slug: _slug, ...crew } = CrewDraft.properties
const { name: _agentName, slug: _agentSlug, crew_id: _crew, mcp_config_json: _mcp, ...agent } = AgentDraft.properties

/** What every document may say of itself. */
const about = {
  name: ['metadata.name', optional(Name)],
} as const

/** The members of an agent: all in one mapping within a crew, in `metadata` and `spec` in a document of its own. */
const agentMembers = (metadata: string, spec: string): ManifestMembers => ({
  name: [`${metadata}name`, optional(line(100))],
  description: [`${metadata}description`, agent.description],
  role_title: [`${spec}role_title`, agent.role_title],
  agent_role: [`${spec}agent_role`, optional(Type.Enum(['AGENT', 'LEAD']))],
  lead_mode: [`${spec}lead_mode`, agent.lead_mode],
  cli_adapter: [`${spec}cli_adapter`, agent.cli_adapter],
  llm_provider: [`${spec}llm.provider`, agent.llm_provider],
  llm_model: [`${spec}llm.model`, agent.llm_model],
  system_prompt: [`${spec}prompt`, prompt],
  avatar_seed: [`${spec}avatar_seed`, agent.avatar_seed],
  avatar_style: [`${spec}avatar_style`, agent.avatar_style],
  timeout_seconds: [`${spec}timeout_seconds`, agent.timeout_seconds],
  tool_profile: [`${spec}tool_profile`, agent.tool_profile],
  cli_tools: [`${spec}cli_tools`, agent.cli_tools],
  memory_enabled: [`${spec}memory_enabled`, agent.memory_enabled],
  suggested_prompts: [`${spec}suggested_prompts`, agent.suggested_prompts],
  ask_forms: [`${spec}ask_forms`, agent.ask_forms],
  schedule_cron: [`${spec}schedule_cron`, agent.schedule_cron],
  schedule_prompt: [`${spec}schedule_prompt`, agent.schedule_prompt],
  schedule_enabled: [`${spec}schedule_enabled`, agent.schedule_enabled],
  schedule_timezone: [`${spec}schedule_timezone`, agent.schedule_timezone],
  webhook_require_timestamp: [`${spec}webhook_require_timestamp`, agent.webhook_require_timestamp],
  skills: [`${spec}skills`, names('Slugs of the skills that it has')],
  env_refs: [`${spec}env_refs`, names('Variables of credentials that it is given by itself')],
})

const credentialMembers: ManifestMembers = {
  type: ['type', optional(Type.Enum(credentialTypes, { description: 'SECRET unless stated' }))],
  provider: ['provider', optional(Type.Enum(credentialProviders, { description: 'NONE unless stated' }))],
  account_label: ['label', optional(nullable(line(200)))],
  help_url: ['help_url', optional(nullable(line(2000)))],
  description: ['description', optional(nullable(prose(4000)))],
  required: [
    'required',
    optional(Type.Boolean({ description: 'Refuse to apply without a value; true unless stated' })),
  ],
}

/** A credential that a document asks for: never its value. */
const variable = Type.String({
  pattern: '^[A-Z_][A-Z0-9_]{0,127}$',
  description: 'A-Z, 0-9 and _, at most 128 of them, not beginning with a digit',
})

export interface ManifestKind {
  /** Members of the thing itself. */
  members: ManifestMembers
  /** Lists of other things that stand within it: where, and of which kind. */
  lists?: Readonly<Record<string, string>>
}

const Stage = Type.Object(
  {
    name: line(100),
    type: Type.Enum([...stageTypes]),
    position: optional(Type.Integer({ minimum: 1 })),
    color: optional(Type.String({ maxLength: 7 })),
  },
  { additionalProperties: false },
)

/** The kinds of documents, in the order in which they are applied. */
export const manifestKinds = {
  Workspace: {
    members: {
      ...about,
      preferred_language: ['metadata.preferred_language', optional(nullable(Language))],
    },
    lists: { 'spec.credentials': 'Credential', 'spec.crews': 'Crew', 'spec.skills': 'Skill' },
  },
  Label: {
    members: {
      ...about,
      color: ['metadata.color', Color],
      label_group: ['spec.group', optional(nullable(line(100)))],
    },
  },
  Project: {
    members: {
      ...about,
      description: ['metadata.description', optional(nullable(proseOfBytes(8192)))],
      icon: ['metadata.icon', optional(nullable(line(50)))],
      color: ['metadata.color', optional(Color)],
      status: ['spec.status', optional(Type.Enum([...projectStatuses]))],
      priority: ['spec.priority', optional(Type.Enum([...workPriorities]))],
      health: ['spec.health', optional(Type.Enum([...healths]))],
      start_date: ['spec.start_date', optional(nullable(Day))],
      target_date: ['spec.target_date', optional(nullable(Day))],
    },
  },
  Milestone: {
    members: {
      ...about,
      project: ['spec.project', Type.String({ maxLength: 100, description: 'The name of its project' })],
      description: ['metadata.description', optional(nullable(proseOfBytes(8192)))],
      target_date: ['spec.target_date', optional(nullable(Day))],
      status: ['spec.status', optional(Type.Enum([...milestoneStatuses]))],
      position: ['spec.position', optional(Type.Integer({ minimum: 0, maximum: 100_000 }))],
    },
  },
  Skill: {
    members: {
      content: ['spec.inline', Type.String({ maxLength: skillFileBytes, description: 'A SKILL.md' })],
      files: [
        'spec.files',
        optional(
          Type.Array(
            Type.Object(
              {
                path: Type.String({ maxLength: 1000 }),
                content_base64: Type.String({ maxLength: 1024 * 1024 }),
                executable: optional(Type.Boolean()),
              },
              { additionalProperties: false },
            ),
            { maxItems: 100, description: 'What stands beside SKILL.md' },
          ),
        ),
      ],
    },
  },
  CrewTemplate: {
    members: {
      ...about,
      description: ['metadata.description', CrewTemplateDraft.properties.description],
      icon: ['metadata.icon', CrewTemplateDraft.properties.icon],
      color: ['metadata.color', CrewTemplateDraft.properties.color],
      category: ['spec.category', CrewTemplateDraft.properties.category],
      agents: ['spec.agents', CrewTemplateDraft.properties.agents],
    },
  },
  WorkflowTemplate: {
    members: {
      ...about,
      description: ['metadata.description', optional(nullable(prose(5000)))],
      icon: ['metadata.icon', optional(nullable(line(50)))],
      color: ['metadata.color', optional(nullable(Color))],
      stages: ['spec.stages', Type.Array(Stage, { minItems: 1, maxItems: 50 })],
    },
  },
  Crew: {
    members: {
      name: ['metadata.name', optional(line(100))],
      description: ['metadata.description', crew.description],
      icon: ['metadata.icon', crew.icon],
      color: ['metadata.color', crew.color],
      runtime_image: ['spec.devcontainer.runtime_image', crew.runtime_image],
      container_memory_mb: ['spec.devcontainer.memory_mb', crew.container_memory_mb],
      container_cpus: ['spec.devcontainer.cpus', crew.container_cpus],
      container_ttl_hours: ['spec.devcontainer.ttl_hours', crew.container_ttl_hours],
      network_mode: ['spec.devcontainer.network_mode', crew.network_mode],
      allowed_domains: ['spec.devcontainer.allowed_domains', crew.allowed_domains],
      allow_private_endpoints: ['spec.devcontainer.allow_private_endpoints', crew.allow_private_endpoints],
      avatar_style: ['spec.avatar_style', crew.avatar_style],
      issue_prefix: ['spec.issue_prefix', crew.issue_prefix],
      max_ephemeral_agents: ['spec.max_ephemeral_agents', crew.max_ephemeral_agents],
      max_concurrent_agents: ['spec.max_concurrent_agents', crew.max_concurrent_agents],
      escalation_config: ['spec.escalation_config', crew.escalation_config],
      autonomy_level: ['spec.policy.autonomy_level', optional(Type.Enum([...autonomyLevels]))],
      behavior_mode: ['spec.policy.behavior_mode', optional(Type.Enum([...behaviorModes]))],
      reason: ['spec.policy.reason', optional(nullable(Type.String({ maxLength: 2000 })))],
    },
    lists: { 'spec.credentials': 'Credential', 'spec.agents': 'Agent', 'spec.skills': 'Skill' },
  },
  Credential: { members: credentialMembers },
  Agent: { members: { ...agentMembers('metadata.', 'spec.'), crew: ['spec.crew', crewName] } },
  Routine: {
    members: {
      name: ['metadata.name', optional(line(100))],
      description: ['metadata.description', optional(nullable(prose(5000)))],
      crew: ['spec.crew', crewName],
      definition: ['spec.definition', Type.Unsafe<Record<string, unknown>>({ type: 'object' })],
    },
  },
  TriageRule: {
    members: {
      ...about,
      pattern: ['spec.pattern', Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000]*$' })],
      match_type: ['spec.match_type', Type.Enum([...matchTypes])],
      crew: ['spec.crew', crewName],
      assignee: [
        'spec.assignee',
        optional(nullable(Type.String({ maxLength: 64, description: 'The slug of an agent' }))),
      ],
      project: [
        'spec.project',
        optional(nullable(Type.String({ maxLength: 100, description: 'The name of a project' }))),
      ],
      priority: ['spec.priority', optional(nullable(Type.Enum([...triagePriorities])))],
      position: ['spec.position', optional(Type.Integer({ minimum: 0, maximum: 1_000_000 }))],
      enabled: ['spec.enabled', optional(Type.Boolean())],
    },
  },
} as const satisfies Record<string, ManifestKind>

export type KindName = keyof typeof manifestKinds

/** Kinds that stand within others alone. */
export const innerKinds: readonly KindName[] = ['Credential']

/** The members of an item of a list within a document. */
export const itemMembers: Readonly<Record<string, ManifestMembers>> = {
  Agent: agentMembers('', ''),
  Credential: credentialMembers,
}

/** What an item of such a list is called by. */
export const itemKeys: Readonly<Record<string, ManifestMember>> = {
  Agent: ['slug', Slug],
  Credential: ['env', variable],
}
