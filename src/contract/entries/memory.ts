import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

const text = Type.String()
const did = {
  write: 'wrote',
  append: 'appended to',
  restore: 'restored',
  remove: 'removed',
  import: 'imported',
  merge: 'merged rules into',
  unlearn: 'took rules out of',
} as const
const refused = { path: text, tier: text, file: text }
const sources = ['agent', 'user', 'system', 'import', 'restore', 'consolidation'] as const

/** What agents remember. No entry holds a text of it. docs/memory.md. */
export const memoryFacts = {
  'memory.updated': entry(
    'memory.updated',
    'info',
    Type.Object({
      path: text,
      tier: text,
      agent_slug: Type.Optional(text),
      source: Type.Enum(sources, { description: 'Who wrote, or by what the text came' }),
      version_id: Type.Optional(text),
      action: Type.Enum(Object.keys(did) as (keyof typeof did)[]),
      sha256: Type.Optional(text),
      bytes: Type.Optional(Type.Integer()),
      parent_sha: Type.Optional(text),
    }),
    ({ path, action, bytes }, { person }) =>
      `${person} ${did[action]} memory ${quoted(path)}${bytes === undefined ? '' : `, ${bytes} bytes`}`,
  ),
  'memory.searched': entry(
    'memory.searched',
    'info',
    Type.Object({
      query: text,
      scope: Type.Enum(['', 'own', 'crew_shared']),
      hit_count: Type.Integer(),
      hit_chunk_ids: Type.Array(text, {
        description: 'Parts of files, entries of the journal, and the evidence of rules',
      }),
    }),
    ({ query, hit_count }, { person }) =>
      `${person} searched memory for ${quoted(query)} and found ${hit_count || 'nothing'}`,
  ),
  'memory.config_updated': entry(
    'memory.config_updated',
    'notice',
    Type.Object({
      workspace_id: text,
      changes: Type.Record(text, Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
    }),
    ({ changes }, { person }) => `${person} set how memory is kept: ${Object.keys(changes).map(quoted).join(', ')}`,
  ),
  'memory.versions_swept': entry(
    'memory.versions_swept',
    'info',
    Type.Object({
      deleted_count: Type.Integer(),
      blobs: Type.Integer(),
      bytes: Type.Integer(),
      retention_days: Type.Integer(),
    }),
    ({ deleted_count, retention_days }) =>
      `${deleted_count} versions of memory were deleted, which were older than ${retention_days} days`,
  ),
  'memory.write_rejected': entry(
    'memory.write_rejected',
    'warn',
    Type.Object({
      ...refused,
      reason: Type.Enum(['scrubber', 'cap']),
      what: text,
      bytes_attempted: Type.Integer(),
      bytes_limit: Type.Integer(),
    }),
    ({ path, what }, { person }) => `What ${person} wrote to memory ${quoted(path)} was refused: ${what}`,
  ),
  'memory.write_verifier_blocked': entry(
    'memory.write_verifier_blocked',
    'warn',
    Type.Object({ ...refused, kind: Type.Enum(['injection']), detail: text }),
    ({ path, detail }, { person }) => `What ${person} wrote to memory ${quoted(path)} was refused: ${detail}`,
  ),
}
