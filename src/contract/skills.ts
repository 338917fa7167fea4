import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, line, nullable, page, prose, Ref, Time } from './fields.ts'

export const skillCategories = [
  'CODING',
  'AUTOMATION',
  'DATA',
  'DEVOPS',
  'SUPPORT',
  'SALES',
  'WRITING',
  'RESEARCH',
  'PM',
  'DESIGN',
  'SECURITY',
  'FINANCE',
  'OPS',
  'CUSTOM',
] as const
export const skillRuntimes = ['INSTRUCTIONS', 'SCRIPT', 'MCP', 'HYBRID'] as const
/** In the order of the list. */
export const skillMaturities = ['OFFICIAL', 'CURATED', 'COMMUNITY', 'EXPERIMENTAL'] as const
export const scanStatuses = ['UNSCANNED', 'CLEAN', 'FLAGGED'] as const
export type ScanStatus = (typeof scanStatuses)[number]

/** Bytes of a SKILL.md and of each file beside it, and of all of a skill together. */
export const skillFileBytes = 512 * 1024
export const skillBytes = 2 * 1024 * 1024
/** Files beside SKILL.md. */
export const mostSkillFiles = 100
/** Skills of an agent, and bytes of all of them: each run is given them. */
export const mostAgentSkills = 50
export const agentSkillBytes = 4 * 1024 * 1024
/** Skills of an instance. */
export const mostSkills = 10_000

const text = nullable(Type.String())
const texts = nullable(Type.String({ description: 'JSON array of texts' }))

const SkillRow = {
  id: Id,
  name: Type.String({ description: 'As SKILL.md has it' }),
  slug: Type.String({ description: 'The name of its folder' }),
  display_name: Type.String(),
  description: text,
  version: Type.String(),
  author: text,
  category: Type.Enum(skillCategories),
  source: Type.String({ description: 'CUSTOM, GENERATED or BUNDLED' }),
  icon: text,
  verification: Type.Enum(['UNVERIFIED', 'VERIFIED']),
  downloads: Type.Integer(),
  rating_avg: nullable(Type.Number()),
  rating_count: Type.Integer(),
  tags: texts,
  featured: Type.Boolean(),
  pricing_tier: Type.Enum(['FREE']),
  tool_count: nullable(Type.Integer()),
  vendor: text,
  homepage: text,
  spdx_license: nullable(Type.String({ description: 'What the licence is by the list of SPDX' })),
  runtime: Type.Enum(skillRuntimes),
  maturity: Type.Enum(skillMaturities),
  scan_status: Type.Enum(scanStatuses),
  scan_reason: nullable(Type.String({ description: 'What was found, and where' })),
  description_quality: nullable(Type.String({ description: 'What its description lacks; empty when nothing' })),
  created_at: Time,
  updated_at: Time,
}

/** An agent that has a skill, with what a client draws it and its crew by. */
export const SkillHolder = Type.Object({
  agent_id: Id,
  agent_slug: Type.String(),
  agent_name: Type.String(),
  avatar_seed: text,
  avatar_style: text,
  avatar_url: text,
  crew_id: nullable(Id),
  crew_slug: text,
  crew_name: text,
  crew_color: text,
  crew_icon: text,
  crew_avatar_style: text,
})

/** What a skill is to the workspace of the caller. */
const Here = {
  installed_on: Type.Array(SkillHolder, { description: 'Agents of this workspace that have it' }),
  usage: Type.Object({
    invocations: Type.Integer({ description: 'Runs of this workspace that used it' }),
    last_used_at: Type.Optional(Time),
  }),
}

export const Skill = Type.Object({ ...SkillRow, ...Here })

export const SkillFile = Type.Object({
  path: Type.String({ description: 'Below the folder of the skill' }),
  bytes: Type.Integer(),
  sha256: Type.String(),
  executable: Type.Boolean(),
  content_base64: Type.Optional(Type.String({ description: 'With files=1' })),
})

export const SkillDetail = Type.Object({
  ...SkillRow,
  ...Here,
  agent_count: Type.Integer({ description: 'Agents of this workspace that have it' }),
  content: Type.String({ description: 'SKILL.md, as it was imported' }),
  license: text,
  credential_requirements: texts,
  mcp_server_command: text,
  mcp_server_image: text,
  mcp_transport: text,
  dependencies: texts,
  security_score: nullable(Type.Integer()),
  allowed_domains: texts,
  changelog: text,
  files: Type.Array(SkillFile),
})

const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))

const GivenFile = Type.Object({
  path: Type.String({ maxLength: 1000, description: 'Below the folder of the skill, such as scripts/run.sh' }),
  content_base64: Type.String({ maxLength: 1024 * 1024 }),
  executable: Type.Optional(Type.Boolean()),
})

/** Skills that one import from a repository takes. */
export const mostBulkSkills = 500
/** Skills that wait for people, of a crew. */
export const mostProposedSkills = 50

/** The name of a skill that is yet to be written. */
export const NewSkillSlug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 64,
  description: 'a to z, 0 to 9 and single dashes, and that of no skill yet',
})

const Staged = {
  crew_id: Type.String({ minLength: 1, maxLength: 64, description: 'Id of the crew' }),
  file_name: Type.String({
    pattern: '^skill-[a-z0-9-]+\\.md$',
    maxLength: 100,
    description: 'the name of a proposed skill, such as skill-deploy.md',
  }),
}

export const ProposedSkill = Type.Object({
  file_name: Staged.file_name,
  slug: Type.String({ description: 'What it is called once it is approved' }),
  name: Type.String(),
  description: text,
  description_quality: nullable(
    Type.String({ description: 'What its description lacks; `parse error: REASON` where it cannot be read' }),
  ),
  category: Type.Enum(skillCategories),
  scan_status: Type.Enum(scanStatuses),
  scan_reason: text,
  content: Type.String({ description: 'The SKILL.md that approving stores' }),
  agent_id: nullable(Type.String({ description: 'The agent that proposed it; null for what the crew learned' })),
  reason: nullable(Type.String({ description: 'Why, in its words' })),
  created_at: Time,
})

export const Imported = {
  skill_id: Id,
  slug: Type.String(),
  created: Type.Boolean({ description: 'It was not there before' }),
}

const managing = { access: 'MANAGER', scope: 'skills:write', capability: 'skill.create' } as const

/** Skills in the Agent Skills format, shared by all workspaces of an instance. docs/skills.md. */
export const skills = {
  list: get('/skills', {
    summary: 'List the skills of this instance',
    access: 'VIEWER',
    query: Type.Object({
      ...page,
      category: word('Only this category'),
      source: word('Only from there: CUSTOM, GENERATED, BUNDLED'),
      search: word('Words of its name, description or tags'),
      vendor: word('Only of this vendor'),
      maturity: word('Only of this maturity'),
      runtime: word('Only of this kind'),
      installed: word('1: only those that agents of this workspace have'),
      installed_for_agent_id: word('Only those that this agent has'),
    }),
    reply: Type.Array(Skill),
  }),
  show: get('/skills/:skillId', {
    summary: 'Show a skill, by id or slug, with its text',
    access: 'VIEWER',
    query: Type.Object({ files: word('1: with the content of its files') }),
    reply: SkillDetail,
    throws: ['not_found'],
  }),
  import: post('/workspaces/:workspaceId/skills/import', {
    summary: 'Import a skill from its text or from an address',
    ...managing,
    body: Type.Object({
      url: Type.Optional(nullable(prose(2000))),
      content: Type.Optional(nullable(Type.String({ description: 'A SKILL.md' }))),
      files: Type.Optional(Type.Array(GivenFile, { description: 'What stands beside it; with content alone' })),
      allow_unsafe_license: Type.Optional(
        Type.Boolean({ description: 'Take it whatever its licence is, also without one' }),
      ),
    }),
    bodyLimit: 4 * 1024 * 1024,
    overLimit: { code: 'body_too_large' },
    reply: Type.Object({ ...Imported, name: Type.String() }),
    journal: ['skill.imported'],
    throws: [
      'not_found',
      'skill_invalid',
      'license_refused',
      'skill_unreachable',
      'skill_of_others',
      'builtin_kept',
      'skills_full',
      'body_too_large',
    ],
  }),
  bulkImport: post('/workspaces/:workspaceId/skills/bulk-import', {
    summary: 'Import the skills of a public git repository',
    ...managing,
    status: 200,
    noDryRun: 'it reads another server; dry_run in its body only tells what it would do',
    body: Type.Object({
      git_url: Type.String({ minLength: 1, maxLength: 2000, description: 'The https address of the repository' }),
      git_ref: Type.Optional(
        nullable(Type.String({ maxLength: 255, description: 'A branch, a tag or a commit; its main branch if not' })),
      ),
      paths: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
          maxItems: 20,
          description: 'Only skills in these folders: * and ? within a name, ** over folders',
        }),
      ),
      vendor: Type.Optional(nullable(line(100))),
      allow_unsafe_license: Type.Optional(
        Type.Boolean({ description: 'Take them whatever their licence is, also without one' }),
      ),
      dry_run: Type.Optional(Type.Boolean({ description: 'Only tell what would be imported' })),
    }),
    reply: Type.Object({
      source: Type.String({ description: 'The address of the repository' }),
      commit: Type.String({ description: 'What was read' }),
      total_found: Type.Integer(),
      total_imported: Type.Integer(),
      imported: Type.Array(
        Type.Object({ ...Imported, skill_id: Type.String({ description: 'Empty for a new one in a dry run' }) }),
      ),
      skipped: Type.Array(
        Type.Object({ path: Type.String(), slug: Type.Optional(Type.String()), reason: Type.String() }),
      ),
      truncated: Type.Boolean({ description: `There are more than ${mostBulkSkills}: name fewer with paths` }),
    }),
    journal: ['skill.imported'],
    throws: ['not_found', 'bulk_import_running', 'repository_unreadable'],
  }),
  generate: post('/workspaces/:workspaceId/skills/generate', {
    summary: 'Have a model write a skill; every call costs tokens',
    ...managing,
    body: Type.Object({
      slug: NewSkillSlug,
      prompt: Type.String({ minLength: 1, maxLength: 8000, description: 'What the skill is to teach' }),
      model: Type.Optional(nullable(line(100))),
    }),
    reply: Type.Object({
      skill_id: Id,
      slug: Type.String(),
      content: Type.String({ description: 'Its SKILL.md' }),
      scan_status: Type.Enum(scanStatuses),
      scan_reason: Type.Optional(Type.String()),
      description_quality: Type.Optional(Type.String()),
    }),
    journal: ['skill.imported'],
    noDryRun: 'it asks a model',
    throws: ['not_found', 'skill_exists', 'model_key_missing', 'no_skill_written', 'skills_full', 'rate_limited'],
  }),
  proposed: get('/skills/proposed', {
    summary: 'List skills that a crew learned or its agents wrote, which wait for people',
    access: 'MANAGER',
    query: Type.Object({ crew_id: Staged.crew_id }),
    reply: Type.Array(ProposedSkill),
    throws: ['not_found'],
  }),
  approve: post('/skills/proposed/approve', {
    summary: 'Store a proposed skill',
    access: 'MANAGER',
    scope: 'skills:write',
    status: 200,
    body: Type.Object(Staged),
    reply: Type.Object({ ...Imported, file_name: Staged.file_name }),
    journal: ['memory.skill_approved'],
    throws: ['not_found', 'skill_invalid', 'skill_of_others', 'builtin_kept', 'skills_full'],
  }),
  reject: post('/skills/proposed/reject', {
    summary: 'Reject a proposed skill, and remove its text',
    access: 'MANAGER',
    scope: 'skills:write',
    status: 200,
    body: Type.Object(Staged),
    reply: Type.Object({
      file_name: Staged.file_name,
      removed: Type.Boolean({ description: 'false: there was none any more' }),
    }),
    journal: ['memory.skill_rejected'],
    throws: ['not_found'],
  }),
  remove: del('/workspaces/:workspaceId/skills/:skillId', {
    summary: 'Delete a skill',
    access: 'ADMIN',
    scope: 'skills:write',
    status: 200,
    reply: Type.Object({ deleted: Type.Boolean(), skill_id: Id }),
    journal: ['skill.deleted'],
    throws: ['not_found', 'builtin_kept'],
  }),
  assigned: get('/agents/:agentId/skills', {
    summary: 'List the skills of an agent',
    access: 'VIEWER',
    reply: Type.Array(
      Type.Object({
        id: Id,
        agent_id: Id,
        skill_id: Id,
        enabled: Type.Boolean(),
        config: nullable(Type.String()),
        skill: Type.Object({
          id: Id,
          name: SkillRow.name,
          slug: SkillRow.slug,
          display_name: SkillRow.display_name,
          description: text,
          category: SkillRow.category,
          source: SkillRow.source,
          icon: text,
          version: SkillRow.version,
        }),
      }),
    ),
    throws: ['not_found'],
  }),
  assign: post('/agents/:agentId/skills', {
    summary: 'Give a skill to an agent, from its next run on',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'skills:write',
    repeatable: true,
    body: Type.Object({ skill_id: Ref, config: Type.Optional(nullable(prose(10_000))) }),
    reply: Type.Object({ id: Id, already_assigned: Type.Optional(Type.Boolean()) }),
    journal: ['skill.assigned'],
    throws: ['not_found', 'skills_full'],
  }),
  unassign: del('/agents/:agentId/skills/:skillId', {
    summary: 'Take a skill back from an agent, by its id or that of the assignment',
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'skills:write',
    journal: ['skill.unassigned'],
    throws: ['not_found'],
  }),
}
