import { type Static, Type } from 'typebox'
import { del, get, post } from './define.ts'
import { nullable, Time } from './fields.ts'

export const backupLevels = ['quick', 'standard', 'full'] as const
export type BackupLevel = (typeof backupLevels)[number]

/** Characters of a passphrase at least: whoever has the bundle can try as many as they like. */
export const passphraseLength = 12

const text = Type.String()
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Level = Type.Enum(backupLevels, {
  description:
    'quick: the database; standard: also files of chats and what crews work on; full: also the homes of agents and ' +
    'the output of their runs',
})
const Scope = Type.Enum(['instance'], { description: 'the whole server' })

const Named = Type.Object({ id: text, slug: text, name: text })

/** MANIFEST.json of a bundle, which anybody may read who has it. */
export const BundleManifest = Type.Object({
  format_version: Type.Integer({ minimum: 1 }),
  svc_version_at_backup: text,
  scope: Scope,
  scope_level: Level,
  created_at: Time,
  installation: Type.String({ description: 'Id of the server that it was made of' }),
  runtime: Type.Enum(['docker', 'process'], { description: 'Where its agents run' }),
  schema_version: Type.String({ description: 'Newest migration of its database' }),
  key_included: Type.Boolean({ description: 'Whether the encryption key of stored secrets is inside' }),
  encryption: Type.Object({
    enabled: Type.Boolean(),
    algorithm: Type.Optional(text),
    key_derivation: Type.Optional(text),
    recipients: Type.Optional(Type.Array(text)),
  }),
  contents: Type.Object({
    workspaces: Type.Array(Named),
    crews: Type.Array(Type.Object({ ...Named.properties, workspace_id: text, agent_count: Type.Integer() })),
    counts: Type.Record(text, Type.Integer(), { description: 'Rows of the tables that people care for' }),
    data_bytes: Type.Integer({ description: 'Bytes of the database and of files of chats, unpacked' }),
  }),
  journal: Type.Object(
    {
      seq: Type.Integer({ description: 'Place of its newest entry' }),
      hash: nullable(Type.String({ description: 'Hash of that entry' })),
      sealed_seq: Type.Integer({ description: 'How far it was sealed' }),
      sealed_at: nullable(Time),
    },
    { description: 'The journal inside' },
  ),
  checksums: Type.Object({ payload_sha256: Sha256 }),
})

const Made = Type.Object({
  path: text,
  file_name: text,
  size_bytes: Type.Integer(),
  payload_sha256: Sha256,
  format_version: Type.Integer(),
  scope: Scope,
  scope_level: Level,
  created_at: Time,
  encrypted: Type.Boolean(),
  key_included: Type.Boolean(),
  members: Type.Integer({ description: 'Files inside' }),
})

const Listed = Type.Object({
  path: text,
  file_name: text,
  size_bytes: Type.Integer(),
  scope: Type.Optional(Scope),
  scope_level: Type.Optional(Level),
  encrypted: Type.Boolean(),
  created_at: Type.Optional(Time),
  format_version: Type.Optional(Type.Integer()),
  flaw: Type.Optional(Type.String({ description: 'Why it cannot be used' })),
})
export type BackupListed = Static<typeof Listed>

const Which = Type.Object({ path: Type.String({ minLength: 1, maxLength: 4096, description: 'path or file name' }) })

/** For ADMIN and OWNER of the server's first workspace alone: a bundle holds what all workspaces have. */
export const backup = {
  create: post('/admin/backups', {
    summary: 'Make a bundle of the whole server, while it goes on working',
    access: 'signed-in',
    scope: 'workspace:admin',
    stepUp: true,
    body: Type.Object({
      scope: Scope,
      scope_level: Type.Optional(Level),
      passphrase: Type.Optional(Type.String({ minLength: passphraseLength, maxLength: 1024 })),
      recipient: Type.Optional(
        Type.String({ maxLength: 4096, description: 'public key of age, age1…; its holder alone can restore' }),
      ),
      no_encrypt: Type.Optional(Type.Boolean({ description: 'for bundles that are encrypted elsewhere' })),
      with_key: Type.Optional(
        Type.Boolean({ description: 'puts the encryption key into the bundle, which must be encrypted then' }),
      ),
    }),
    reply: Made,
    journal: ['audit.entity_created', 'backup.failed'],
    throws: ['backup_running', 'unavailable', 'runtime_unavailable', 'runtime_failed'],
    noDryRun: 'it takes as long as the backup itself',
  }),
  list: get('/admin/backups', {
    summary: 'List the bundles in the backup folder of the server, newest first',
    access: 'signed-in',
    reply: Type.Object({ data: Type.Array(Listed) }),
    throws: ['unavailable'],
  }),
  status: get('/admin/backups/status', {
    summary: 'Say whether a backup is being made, how far it is, and when the last one was',
    access: 'signed-in',
    reply: Type.Object({
      held: Type.Boolean(),
      workspace_id: nullable(text),
      acquired_by: nullable(Type.String({ description: 'id of a user; null also for the schedule' })),
      acquired_at: nullable(Time),
      expires_at: nullable(
        Type.Unsafe<string>({ type: 'string', description: 'always null: it ends with the backup' }),
      ),
      phase: nullable(Type.String({ description: 'database, files' })),
      done_bytes: Type.Integer(),
      last: Type.Union([Listed, Type.Null()]),
      folder: text,
      same_disk: Type.Boolean({ description: 'Whether the backup folder is on the disk of the data' }),
    }),
    throws: ['unavailable'],
  }),
  inspect: get('/admin/backups/inspect', {
    summary: 'Show the manifest of a bundle in the backup folder',
    access: 'signed-in',
    query: Which,
    reply: BundleManifest,
    throws: ['not_found', 'bundle_unusable', 'unavailable'],
  }),
  verify: get('/admin/backups/verify', {
    summary: 'Check every byte of a bundle in the backup folder against its sums',
    access: 'signed-in',
    query: Which,
    reply: Type.Object({
      valid: Type.Boolean(),
      size_bytes: Type.Integer(),
      manifest: Type.Union([BundleManifest, Type.Null()]),
      error: nullable(text),
    }),
    throws: ['not_found', 'unavailable'],
  }),
  rotate: post('/admin/backups/rotate', {
    summary: 'Delete old bundles of this server from its backup folder',
    access: 'signed-in',
    scope: 'workspace:admin',
    status: 200,
    body: Type.Object({
      keep_last: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'so many are kept' })),
      keep_days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 36_500, description: 'those of so many days are kept as well' }),
      ),
      dry_run: Type.Optional(Type.Boolean()),
    }),
    reply: Type.Object({ deleted: Type.Array(text, { description: 'paths' }), dry_run: Type.Boolean() }),
    journal: ['audit.entity_deleted'],
    throws: ['unavailable'],
    noDryRun: 'dry_run in its body tells what it would delete',
  }),
  remove: del('/admin/backups', {
    summary: 'Delete a bundle from the backup folder',
    access: 'signed-in',
    scope: 'workspace:admin',
    query: Which,
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'unavailable'],
    noDryRun: 'it deletes a file, which nothing takes back',
  }),
}
