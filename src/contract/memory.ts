// Longer than other files: memory has 18 operations, whose shapes belong together.
import { type Static, Type } from 'typebox'
import { del, get, patch, post, put } from './define.ts'
import { Id, nullable, prose, Time } from './fields.ts'

/** Whose memory it is. */
export const memoryTiers = ['agent', 'crew', 'workspace'] as const
export type MemoryTier = (typeof memoryTiers)[number]

/** By what versions are administered: `pins` and `learned` are files of agents and crews. */
export const memoryKinds = [...memoryTiers, 'pins', 'learned'] as const
export type MemoryKind = (typeof memoryKinds)[number]

/** Characters of persona and memory in a prompt, and what crew and workspace may take of them. */
export const memoryBudget = { chars: 15_000, crewShare: 0.4, workspaceShare: 0.15 } as const

/** Days for which versions are kept unless the workspace says otherwise. */
export const retentionDays = 30

/** Bytes of files of each kind at most; `lessons` also bounds what agents are told to keep without a bound. */
export const memoryCaps = { main: 4000, daily: 30_000, pins: 8000, persona: 1500, lessons: 262_144 } as const

/** Bytes of all files of one owner together, and how many there are at most. */
export const memoryRoom = { bytes: 10 * 1024 * 1024, files: 5000 } as const

const optional = Type.Optional
const text = Type.String()

/** Longer than any file may be: the answer to that says by how much. */
const Content = prose(1_048_576)
const Path = Type.String({
  minLength: 1,
  maxLength: 250,
  pattern: '^[^\\u0000-\\u001f]*$',
  description: 'agent:SLUG/NAME, crew:SLUG/NAME or workspace:NAME, such as agent:ada/AGENT.md',
})
const Sha = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of a text, 64 hexadecimal digits' })
/** The hash of a version, or how it begins. */
const anySha = '^[0-9a-f]{6,64}$'

const about = {
  path: text,
  tier: Type.Enum(memoryTiers),
  name: text,
  sha256: text,
  bytes: Type.Integer(),
  cap_bytes: Type.Integer({ description: 'Of this file' }),
  written_at: Time,
  written_by: Type.String({ description: 'Id of a person or an agent' }),
}

export const MemoryFile = Type.Object(about)

export const Written = Type.Object({
  path: text,
  sha256: text,
  bytes: Type.Integer(),
  cap_bytes: about.cap_bytes,
  changed: Type.Boolean({ description: 'false: that text stood there already' }),
  parent_sha: optional(Type.String({ description: 'What it replaced' })),
  warning: optional(Type.String({ description: 'The file is nearly full' })),
})
export type Written = Static<typeof Written>

/** Bytes of what is imported at once. */
export const importBytes = 32 * 1024 * 1024

const Config = Type.Object({
  workspace_id: Id,
  versions_retention_days: Type.Integer(),
  is_default: Type.Boolean({ description: 'Nobody set the retention' }),
  raw_config: optional(Type.String({ description: 'All that was set, as JSON' })),
})

const memoryScopes = ['', 'own', 'crew_shared'] as const

const Hit = Type.Object({
  kind: Type.Enum(['file', 'journal']),
  id: Type.String({ description: 'path#line of a file, or id of an entry' }),
  path: optional(text),
  tier: optional(Type.Enum(memoryTiers)),
  line: optional(Type.Integer()),
  entry_type: optional(text),
  text: Type.String({ description: 'The part that matches, cut where it is long' }),
  at: Time,
  score: Type.Number({ description: 'Sum of reciprocal ranks, k = 60' }),
  evidence: Type.Array(Type.String(), { description: 'Entries of the journal that it names' }),
})

const reading = { access: 'VIEWER', throws: ['not_found'] } as const
/** Who may write follows from the path: a MANAGER of the workspace or the crew, for the workspace an ADMIN. */
const writing = {
  access: 'VIEWER',
  scope: 'agents:write',
  journal: ['memory.updated', 'memory.write_rejected', 'memory.write_verifier_blocked'],
} as const
const onWriting = ['not_found', 'insufficient_role', 'memory_refused', 'body_too_large', 'memory_changed'] as const

/** What agents learned: files of agents, crews and the workspace. docs/memory.md. */
export const memory = {
  list: get('/memory/files', {
    summary: 'List the memory files of an agent, a crew or the workspace',
    ...reading,
    query: Type.Object({ path: Path }),
    reply: Type.Object({
      path: text,
      count: Type.Integer(),
      bytes: Type.Integer(),
      cap_bytes: Type.Integer({ description: 'Of all files together' }),
      files: Type.Array(MemoryFile),
    }),
  }),
  show: get('/memory/file', {
    summary: 'Show a memory file',
    ...reading,
    query: Type.Object({ path: Path }),
    reply: Type.Object({ ...about, content: text }),
  }),
  write: put('/memory/file', {
    summary: 'Write a memory file',
    ...writing,
    body: Type.Object({
      path: Path,
      content: Content,
      parent_sha: optional(
        Type.String({ maxLength: 64, description: 'The text that is replaced; "" for none. Another one: 409' }),
      ),
    }),
    reply: Written,
    throws: onWriting,
  }),
  append: post('/memory/file/append', {
    summary: 'Append to a memory file',
    ...writing,
    status: 200,
    body: Type.Object({ path: Path, content: Content }),
    reply: Written,
    throws: onWriting,
  }),
  remove: del('/memory/file', {
    summary: 'Remove a memory file; its versions stay',
    ...writing,
    query: Type.Object({ path: Path }),
    journal: ['memory.updated'],
    throws: ['not_found', 'insufficient_role'],
  }),
  versions: get('/memory/versions', {
    summary: 'List the versions of a memory file, newest first',
    ...reading,
    query: Type.Object({
      path: Path,
      limit: optional(Type.Unsafe<number | string>({ type: ['integer', 'string'], description: '20; 100 at most' })),
    }),
    reply: Type.Object({
      path: text,
      count: Type.Integer({ description: 'All there are' }),
      entries: Type.Array(
        Type.Object({
          id: Id,
          sha256: text,
          bytes: Type.Integer(),
          written_at: Time,
          written_by: about.written_by,
          parent_sha: optional(Type.String({ description: 'What it replaced' })),
        }),
      ),
      projection: Type.Object({
        state: Type.Enum(['recorded', 'unrecorded', 'unavailable'], {
          description: 'Whether what stands there now is the newest version',
        }),
        reason: text,
      }),
    }),
  }),
  version: get('/memory/versions/:sha', {
    summary: 'Show the text of a version of a memory file',
    ...reading,
    kind: 'text',
    query: Type.Object({ path: Path }),
  }),
  restore: post('/memory/versions/:sha/restore', {
    summary: 'Make an earlier version of a memory file the newest one',
    access: 'ADMIN',
    scope: 'agents:write',
    status: 200,
    body: Type.Object({
      path: Path,
      canonical_path: optional(
        Type.String({ maxLength: 250, description: 'Where it is put, if not at `path`; of the same owner' }),
      ),
      tier: optional(Type.Enum(memoryTiers, { description: 'Must be that of the path' })),
    }),
    reply: Written,
    journal: ['memory.updated', 'memory.write_rejected', 'memory.write_verifier_blocked'],
    throws: onWriting,
  }),
  diff: get('/memory/diff', {
    summary: 'Compare two versions of a memory file',
    ...reading,
    query: Type.Object({
      path: Path,
      from: optional(Type.String({ pattern: anySha, description: 'the version before `to` unless given' })),
      to: optional(Type.String({ pattern: anySha, description: 'what stands there now unless given' })),
    }),
    reply: Type.Object({
      path: text,
      from: Type.Union([Sha, Type.Null()], { description: 'null: there was nothing' }),
      to: Type.Union([Sha, Type.Null()], { description: 'null: the file was removed' }),
      identical: Type.Boolean(),
      unified_diff: text,
      stats: Type.Object({ additions: Type.Integer(), deletions: Type.Integer() }),
    }),
  }),
  search: post('/memory/search/hybrid', {
    summary: 'Search memory files and the journal',
    access: 'VIEWER',
    scope: 'agents:write',
    status: 200,
    body: Type.Object({
      query: prose(500),
      limit: optional(Type.Integer({ minimum: 1, maximum: 50, description: '10 unless given' })),
      scope: optional(
        Type.Enum(memoryScopes, {
          description: '"": everything; own: of the agent alone; crew_shared: of the crew alone',
        }),
      ),
      crew_id: optional(nullable(Type.String({ maxLength: 64, description: 'slug or id' }))),
      agent: optional(nullable(Type.String({ maxLength: 64, description: 'slug or id: what this agent would find' }))),
    }),
    reply: Type.Object({
      query: text,
      scope: Type.Enum(memoryScopes),
      count: Type.Integer(),
      hits: Type.Array(Hit, { description: 'Best first' }),
    }),
    journal: ['memory.searched'],
    noDryRun: 'it changes nothing that is stored',
    throws: ['not_found'],
  }),
  export: get('/memory/export', {
    summary: 'Export the memory of a crew or of one of its agents as a ZIP archive',
    access: 'ADMIN',
    kind: 'text',
    media: ['application/zip'],
    query: Type.Object({
      crew_id: Type.String({ minLength: 1, maxLength: 64, description: 'slug or id' }),
      agent_slug: optional(Type.String({ maxLength: 64, description: 'this agent alone' })),
      format: optional(Type.Enum(['zip'])),
    }),
    throws: ['not_found', 'body_too_large'],
  }),
  import: post('/memory/import', {
    summary: 'Import memory files of an agent and its crew',
    access: 'ADMIN',
    scope: 'agents:write',
    status: 200,
    bodyLimit: importBytes,
    overLimit: { code: 'body_too_large' },
    body: Type.Object({
      crew_id: Type.String({ minLength: 1, maxLength: 64, description: 'slug or id' }),
      agent_slug: Type.String({ minLength: 1, maxLength: 64, description: 'slug or id, of that crew' }),
      documents: Type.Array(
        Type.Object({
          path: Type.String({ description: 'NAME or agents/SLUG/NAME of the agent, crew/NAME of the crew' }),
          content: Type.String(),
        }),
        { maxItems: 5000 },
      ),
    }),
    reply: Type.Object({
      written: Type.Integer(),
      rejected: Type.Integer({ description: 'That may not be written: by name, size or content' }),
      failed: Type.Integer({ description: 'For which there was no room' }),
      documents: Type.Array(Type.Object({ path: text, status: Type.Enum(['rejected', 'failed']), reason: text }), {
        description: 'What was not written, the first 200',
      }),
    }),
    journal: ['memory.updated', 'memory.write_rejected', 'memory.write_verifier_blocked'],
    throws: ['not_found', 'body_too_large'],
  }),
  health: get('/memory/health', {
    summary: 'Show how well memory is kept, from 0 to 1',
    ...reading,
    query: Type.Object({ crew_id: optional(Type.String({ maxLength: 64, description: 'slug or id' })) }),
    reply: Type.Object({
      workspace_id: Id,
      crew_id: nullable(Id),
      overall: Type.Number(),
      freshness: Type.Number({ description: 'Whether somebody wrote lately' }),
      coverage: Type.Number({ description: 'Whether agents and crews have a main file' }),
      coherence: Type.Number({ description: 'Whether nothing is said twice or contradicted' }),
      efficiency: Type.Number({ description: 'Whether files have room left' }),
      reachability: Type.Number({ description: 'Whether agents with memory are given it' }),
      agents: Type.Integer(),
      agents_with_memory: Type.Integer(),
      files: Type.Integer(),
      stalest_entry_days: Type.Union([Type.Integer(), Type.Null()]),
      repeated_count: Type.Integer(),
      contradiction_count: Type.Integer(),
      contradictions: Type.Array(text),
    }),
  }),
  stats: get('/admin/memory/stats', {
    summary: 'Show how much is remembered',
    access: 'ADMIN',
    reply: Type.Object({
      workspace_id: Id,
      totals: Type.Object({
        versions: Type.Integer(),
        bytes: Type.Integer(),
        blobs: Type.Integer({ description: 'Different texts' }),
        oldest_at: nullable(Time),
        newest_at: nullable(Time),
      }),
      by_tier: Type.Array(Type.Object({ tier: text, versions: Type.Integer(), bytes: Type.Integer() })),
      by_agent: Type.Array(
        Type.Object({
          agent_slug: Type.String({ description: 'empty: of no agent' }),
          versions: Type.Integer(),
          bytes: Type.Integer(),
          newest_at: Time,
        }),
      ),
    }),
  }),
  history: get('/admin/memory/versions', {
    summary: 'List the versions of all memory files, newest first',
    access: 'ADMIN',
    query: Type.Object({
      tier: optional(Type.String({ description: memoryKinds.join(', ') })),
      agent_slug: optional(text),
      path_prefix: optional(text),
      since: optional(text),
      until: optional(text),
      limit: optional(Type.Unsafe<number | string>({ type: ['integer', 'string'], description: '50; 500 at most' })),
      cursor: optional(text),
    }),
    reply: Type.Object({
      workspace_id: Id,
      rows: Type.Array(
        Type.Object({
          id: Id,
          path: text,
          tier: Type.Enum(memoryKinds),
          sha256: text,
          bytes: Type.Integer(),
          written_at: Time,
          written_by: about.written_by,
          parent_sha: optional(text),
        }),
      ),
      next_cursor: Type.Union([text, Type.Null()]),
      limit: Type.Integer(),
      filters_applied: Type.Record(Type.String(), Type.Unknown()),
    }),
  }),
  content: get('/admin/memory/versions/:versionId/content', {
    summary: 'Show the text of any version',
    access: 'ADMIN',
    kind: 'text',
    throws: ['not_found', 'memory_gone'],
  }),
  config: get('/admin/memory/config', {
    summary: 'Show how memory is kept',
    access: 'ADMIN',
    reply: Config,
  }),
  setConfig: patch('/admin/memory/config', {
    summary: 'Set how memory is kept; members that are not named stay',
    access: 'ADMIN',
    scope: 'workspace:admin',
    bodyLimit: 16_384,
    overLimit: { code: 'body_too_large' },
    body: Type.Object(
      {
        versions_retention_days: optional(
          Type.Integer({ minimum: 1, maximum: 3650, description: 'Days for which versions are kept' }),
        ),
      },
      { additionalProperties: true },
    ),
    reply: Config,
    journal: ['memory.config_updated'],
    throws: ['body_too_large'],
  }),
  context: get('/memory/context', {
    summary: 'Show what the next run of an agent is given of persona and memory',
    ...reading,
    query: Type.Object({ agent: Type.String({ minLength: 1, maxLength: 64, description: 'slug or id' }) }),
    reply: Type.Object({
      agent_id: Id,
      memory_enabled: Type.Boolean({ description: 'false: it is given its persona alone' }),
      chars: Type.Integer({ description: 'Of the text' }),
      budget_chars: Type.Integer(),
      persona_chars: Type.Integer(),
      files: Type.Array(
        Type.Object({
          path: text,
          tier: about.tier,
          bytes: Type.Integer({ description: 'Of the file' }),
          chars: Type.Integer({ description: 'That it takes in the prompt' }),
          whole: Type.Boolean({ description: 'false: it was cut' }),
        }),
        { description: 'In the order of the prompt' },
      ),
      left_out: Type.Array(
        Type.Object({
          path: text,
          bytes: Type.Integer(),
          reason: Type.Enum(['budget', 'on_request'], {
            description: 'budget: there was no room; on_request: agents read or search such files themselves',
          }),
        }),
      ),
      text: Type.String({ description: 'As it stands in the prompt' }),
    }),
  }),
}
