import { type Static, Type } from 'typebox'
import { del, get, post, put } from './define.ts'
import { Id, nullable, prose, Time } from './fields.ts'

/** Whose memory it is. */
export const memoryTiers = ['agent', 'crew', 'workspace'] as const
export type MemoryTier = (typeof memoryTiers)[number]

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

const Written = Type.Object({
  path: text,
  sha256: text,
  bytes: Type.Integer(),
  cap_bytes: about.cap_bytes,
  changed: Type.Boolean({ description: 'false: that text stood there already' }),
  parent_sha: optional(Type.String({ description: 'What it replaced' })),
  warning: optional(Type.String({ description: 'The file is nearly full' })),
})
export type Written = Static<typeof Written>

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
  journal: ['memory.updated', 'memory.write_rejected'],
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
    journal: ['memory.updated', 'memory.write_rejected'],
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
}
