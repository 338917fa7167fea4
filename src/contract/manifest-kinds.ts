import { Type } from 'typebox'
import { CrewTemplateDraft } from './crew-templates.ts'
import { CrewDraft } from './crews.ts'
import { Color, Day, descriptionBytes, line, Name, nullable, oneLine, prose, proseOfBytes, Slug } from './fields.ts'
import { IssueDraft } from './issues.ts'
import {
  agentMembers,
  agentName,
  channelMembers,
  credentialMembers,
  crewName,
  type ManifestMember,
  type ManifestMembers,
  names,
  optional,
  projectName,
  server,
  serverMembers,
  serverName,
} from './manifest-members.ts'
import { milestoneStatuses } from './milestones.ts'
import { autonomyLevels, behaviorModes } from './policies.ts'
import { healths, projectStatuses, workPriorities } from './projects.ts'
import { skillFileBytes } from './skills.ts'
import { matchTypes, triagePriorities } from './triage.ts'
import { stageTypes } from './workflows.ts'
import { Language } from './workspaces.ts'

/** What every document begins with. */
export const manifestVersion = 'svc/v1'

/** Kinds of documents that the full format has and this version does not take, each with the reason. */
export const laterKinds: Readonly<Record<string, string>> = {
  InstanceSetting:
    'Settings of the whole server concern other workspaces too, so no files of a workspace hold them: ' +
    'change them with muster limits, muster keeper and muster channels set-provider',
}

/** Members of the full format that would not be obeyed, by how their places end: refused with the reason. */
export const laterMembers: Readonly<Record<string, string>> = {
  'devcontainer.image': 'The image that a crew works in is runtime_image',
  'devcontainer.features': 'Features are not installed: build them into the image that runtime_image names',
  'devcontainer.env': 'Containers are given no variables: give agents credentials by env_refs',
  'devcontainer.mise': 'Tools are not installed by mise: build them into the image that runtime_image names',
  'spec.services': 'Crews have no services of their own: say where a service is in allowed_domains',
  'spec.files': 'Files are not written into crews: muster files save writes one',
  ref: 'A source is one address: name the commit in it, and give the digest of its text',
}

const { name: _name, slug: _slug, ...crew } = CrewDraft.properties

/** What every document may say of itself. */
const about = {
  name: ['metadata.name', optional(Name)],
} as const

/** A credential that a document asks for: never its value. */
const variable = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: oneLine,
  description: 'The name of the credential, by which its variable is called',
})

export interface ManifestKind {
  /** Members of the thing itself. */
  members: ManifestMembers
  /** Lists of other things that stand within it: where, and of which kind. */
  lists?: Readonly<Record<string, string>>
}

const Digest = Type.String({
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'sha256: and the SHA-256 of the SKILL.md that the source must have',
})

const issue = IssueDraft.properties

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
    lists: {
      'spec.credentials': 'Credential',
      'spec.crews': 'Crew',
      'spec.skills': 'Skill',
      'spec.notification_channels': 'NotificationChannel',
    },
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
      description: ['metadata.description', optional(nullable(proseOfBytes(descriptionBytes)))],
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
      description: ['metadata.description', optional(nullable(proseOfBytes(descriptionBytes)))],
      target_date: ['spec.target_date', optional(nullable(Day))],
      status: ['spec.status', optional(Type.Enum([...milestoneStatuses]))],
      position: ['spec.position', optional(Type.Integer({ minimum: 0, maximum: 100_000 }))],
    },
  },
  Skill: {
    members: {
      content: ['spec.inline', optional(Type.String({ maxLength: skillFileBytes, description: 'A SKILL.md' }))],
      source: [
        'spec.source',
        optional(
          Type.String({ maxLength: 2000, description: 'The https address of a SKILL.md, in place of its text' }),
        ),
      ],
      digest: ['spec.digest', optional(Digest)],
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
    lists: {
      'spec.credentials': 'Credential',
      'spec.agents': 'Agent',
      'spec.skills': 'Skill',
      'spec.mcp_servers': 'Integration',
    },
  },
  Credential: { members: credentialMembers },
  Agent: { members: { ...agentMembers('metadata.', 'spec.'), crew: ['spec.crew', crewName] } },
  Integration: {
    members: {
      name: ['metadata.name', optional(server.name)],
      crew: ['spec.crew', crewName],
      replaces: ['spec.replaces', serverName],
      ...serverMembers('spec.'),
    },
  },
  NotificationChannel: { members: channelMembers },
  Recipe: { members: { crew: ['spec.crew', optional(Slug)] } },
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
      assignee: ['spec.assignee', agentName],
      project: ['spec.project', projectName],
      priority: ['spec.priority', optional(nullable(Type.Enum([...triagePriorities])))],
      position: ['spec.position', optional(Type.Integer({ minimum: 0, maximum: 1_000_000 }))],
      enabled: ['spec.enabled', optional(Type.Boolean())],
    },
  },
  Issue: {
    members: {
      title: ['metadata.name', optional(line(200))],
      description: ['metadata.description', issue.description],
      crew: ['spec.crew', Type.String({ maxLength: 64, description: 'The slug of its crew' })],
      begins: ['spec.status', optional(Type.Enum(['BACKLOG', 'TODO'], { description: 'Where a new one begins' }))],
      priority: ['spec.priority', issue.priority],
      assignee: ['spec.assignee', agentName],
      project: ['spec.project', projectName],
      milestone: ['spec.milestone', optional(nullable(Type.String({ maxLength: 200, description: 'Of its project' })))],
      parent: ['spec.parent', optional(nullable(Type.String({ maxLength: 50, description: 'The slug of an issue' })))],
      due_date: ['spec.due_date', issue.due_date],
      estimate: ['spec.estimate', issue.estimate],
      routine: [
        'spec.routine',
        optional(nullable(Type.String({ maxLength: 64, description: 'The slug of a routine' }))),
      ],
      routine_inputs: ['spec.routine_inputs', issue.routine_inputs],
      labels: ['spec.labels', names('Names of its labels')],
    },
  },
} as const satisfies Record<string, ManifestKind>

export type KindName = keyof typeof manifestKinds

const longSlug = Type.String({
  maxLength: 64,
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
  description: 'a-z, 0-9, _ and -, at most 64 characters',
})

/** The slug of a document: routines and skills may have longer ones. */
export const documentSlug = (kind: string) => (kind === 'Routine' || kind === 'Skill' ? longSlug : Slug)

/** Kinds that stand within others alone. */
export const innerKinds: readonly KindName[] = ['Credential', 'NotificationChannel']

/** The members of an item of a list within a document. */
export const itemMembers: Readonly<Record<string, ManifestMembers>> = {
  Agent: agentMembers('', ''),
  Credential: credentialMembers,
  Integration: { replaces: ['replaces', serverName], ...serverMembers('') },
  NotificationChannel: channelMembers,
}

/** What an item of such a list is called by. */
export const itemKeys: Readonly<Record<string, ManifestMember>> = {
  Agent: ['slug', Slug],
  Credential: ['env', variable],
  Integration: ['name', server.name],
  NotificationChannel: ['slug', Slug],
}
