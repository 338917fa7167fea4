import { Type } from 'typebox'
import { agentRoles, cliAdapters, llmProviders, toolProfiles } from './agents.ts'
import { crewColors } from './crews.ts'
import { del, get, post, put } from './define.ts'
import { Id, line, nullable, promptBytes, proseOfBytes, Slug, slugPattern, Time } from './fields.ts'
import { mostAgentSkills } from './skills.ts'

/** Crews that can be made, and hired from, without anything being written down first. */
export const builtInTemplates = [
  'software-development',
  'content-marketing',
  'devops-sre',
  'research-analysis',
  'customer-support',
  'accounting-finance',
  'saas-product-squad',
  'mobile-app-development',
  'data-engineering',
  'api-integrations',
  'security-audit',
  'documentation-team',
] as const
export type BuiltInTemplate = (typeof builtInTemplates)[number]

export const templateCategories = ['ENGINEERING', 'MARKETING', 'OPERATIONS', 'RESEARCH', 'BUSINESS'] as const

/** Templates of its own that a workspace has at most. */
export const mostCrewTemplates = 200

const agentMembers = {
  name: line(100),
  slug: Slug,
  role_title: line(200),
  agent_role: Type.Enum(agentRoles),
  cli_adapter: Type.Enum(cliAdapters),
  llm_provider: nullable(Type.Enum(llmProviders)),
  llm_model: nullable(line(200)),
  tool_profile: Type.Enum(toolProfiles),
  system_prompt: proseOfBytes(promptBytes),
  skills: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: mostAgentSkills,
      description: 'Slugs of skills that it is given; those that are not there are left out',
    }),
  ),
}

const templateMembers = {
  name: line(100),
  description: nullable(proseOfBytes(8192)),
  icon: nullable(line(64)),
  color: nullable(Type.Enum([...crewColors])),
  category: Type.Enum([...templateCategories]),
}

/** A crew that can be made at once: its LEAD stands first. docs/templates.md. */
export const CrewTemplate = Type.Object({
  id: Id,
  slug: Type.String(),
  ...templateMembers,
  agents: Type.Array(Type.Object(agentMembers)),
  is_builtin: Type.Boolean({ description: 'Comes with Muster' }),
  created_at: Time,
})

const { name, slug, system_prompt } = agentMembers
const { description, icon, color } = templateMembers

export const CrewTemplateDraft = Type.Object({
  ...templateMembers,
  description: Type.Optional(description),
  icon: Type.Optional(icon),
  color: Type.Optional(color),
  agents: Type.Array(
    Type.Object({ ...Type.Partial(Type.Object(agentMembers)).properties, name, slug, system_prompt }),
    {
      minItems: 1,
      maxItems: 20,
      description: 'Exactly one of them is the LEAD',
    },
  ),
})

export const Suggestion = Type.Object({
  crew_name: Type.String(),
  crew_slug: Type.String(),
  description: Type.String(),
  agents: Type.Array(
    Type.Object({
      name: Type.String(),
      slug: Type.String(),
      role_title: Type.String(),
      agent_role: Type.Enum(agentRoles),
      system_prompt: Type.String(),
    }),
  ),
})

const changing = { access: 'MANAGER', scope: 'crews:write' } as const
const assigned = ['credential.auto_assign_failed', 'credential.auto_assign_empty'] as const

export const crewTemplates = {
  list: get('/crew-templates', {
    summary: 'List crew templates, those that come with Muster first',
    access: 'VIEWER',
    reply: Type.Array(CrewTemplate),
  }),
  show: get('/crew-templates/:slug', {
    summary: 'Show a crew template with its agents',
    access: 'VIEWER',
    reply: CrewTemplate,
    throws: ['not_found'],
  }),
  save: put('/crew-templates/:slug', {
    summary: 'Store a crew template of your own, in place of the one of that slug',
    ...changing,
    body: CrewTemplateDraft,
    reply: CrewTemplate,
    journal: ['audit.entity_created', 'audit.entity_updated'],
    throws: ['templates_full'],
  }),
  remove: del('/crew-templates/:slug', {
    summary: 'Delete a crew template of your own',
    ...changing,
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'builtin_kept'],
  }),
  deploy: post('/crew-templates/:slug/deploy', {
    summary: 'Make a crew and its agents from a template',
    access: 'MEMBER',
    scope: 'crews:write',
    body: Type.Object({
      crew_name: line(100),
      crew_slug: Type.Optional(
        nullable(
          Type.String({
            maxLength: 50,
            pattern: `${slugPattern}|^$`,
            description: 'a-z, 0-9, _ and -, 2 to 50 characters; made of the name where it is empty',
          }),
        ),
      ),
    }),
    reply: Type.Object({
      crew_id: Id,
      crew_name: Type.String(),
      crew_slug: Type.String(),
      agent_count: Type.Integer(),
      agent_ids: Type.Array(Id),
    }),
    journal: ['audit.entity_created', 'skill.assigned', ...assigned],
    throws: ['not_found', 'slug_taken', 'encryption_unavailable'],
  }),
  suggest: post('/crew-ai-suggest', {
    summary: 'Ask a model which crew would suit; creates nothing and costs tokens',
    access: 'MEMBER',
    scope: 'crews:write',
    status: 200,
    body: Type.Object({
      description: Type.String({ minLength: 10, maxLength: 2000, description: 'What the crew is for' }),
    }),
    reply: Suggestion,
    journal: false,
    noDryRun: 'it creates nothing',
    throws: ['no_model_key', 'no_suggestion', 'rate_limited'],
  }),
}
