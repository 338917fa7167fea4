import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, nullable, page, prose, Time } from './fields.ts'

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

export const Skill = Type.Object(SkillRow)

export const SkillFile = Type.Object({
  path: Type.String({ description: 'Below the folder of the skill' }),
  bytes: Type.Integer(),
  sha256: Type.String(),
  executable: Type.Boolean(),
  content_base64: Type.Optional(Type.String({ description: 'With files=1' })),
})

export const SkillDetail = Type.Object({
  ...SkillRow,
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
  remove: del('/workspaces/:workspaceId/skills/:skillId', {
    summary: 'Delete a skill',
    access: 'ADMIN',
    scope: 'skills:write',
    status: 200,
    reply: Type.Object({ deleted: Type.Boolean(), skill_id: Id }),
    journal: ['skill.deleted'],
    throws: ['not_found', 'builtin_kept'],
  }),
}
