import { type Static, Type } from 'typebox'
import { BundleManifest } from './backup.ts'
import { nullable } from './fields.ts'

const text = Type.String()
const optional = Type.Optional
const Opening = { passphrase: optional(text), identity: optional(text) }
const Counts = Type.Record(text, Type.Integer())

/**
 * What `muster backup` asks of the `musterd` of its own machine, which works on files of this machine, and what that
 * answers. The question comes over standard input, so that no secret is in an argument. docs/backup.md.
 */
export const backupHost = {
  newest: { asks: Type.Object({}), answers: Type.Object({ path: text }) },
  inspect: { asks: Type.Object({ path: text }), answers: BundleManifest },
  verify: {
    asks: Type.Object({ path: text, ...Opening }),
    answers: Type.Object({
      manifest: BundleManifest,
      size_bytes: Type.Integer(),
      members: nullable(Type.Integer({ description: 'Files that were read; null when it could not be opened' })),
    }),
  },
  restore: {
    asks: Type.Object({
      path: text,
      ...Opening,
      to: optional(text),
      key: optional(text),
      without_crews: optional(Type.Boolean()),
      dry_run: optional(Type.Boolean()),
    }),
    answers: Type.Object({
      path: text,
      dry_run: Type.Boolean(),
      created_at: text,
      members: Type.Integer(),
      bytes: Type.Integer(),
      key: Type.Enum(['bundle', 'given', 'environment', 'missing']),
      volumes: Type.Integer(),
    }),
  },
  drill: {
    asks: Type.Object({ path: optional(text), ...Opening, key: optional(text), scratch: optional(text) }),
    answers: Type.Object({
      passed: Type.Boolean(),
      path: text,
      created_at: text,
      age_seconds: Type.Integer(),
      checks: Type.Array(Type.Object({ name: text, ok: Type.Boolean(), detail: text })),
      lost: Type.Object(
        { entries: Type.Integer(), counts: Counts },
        { description: 'What was stored since the backup, and would be lost with this machine' },
      ),
      warnings: Type.Array(text),
    }),
  },
}

export type BackupVerb = keyof typeof backupHost
export type BackupAsk<V extends BackupVerb> = Static<(typeof backupHost)[V]['asks']>
export type BackupReply<V extends BackupVerb> = Static<(typeof backupHost)[V]['answers']>

/** A line that comes back: how far it is, then once the reply or why nothing was done. */
export type BackupLine<V extends BackupVerb = BackupVerb> =
  | { progress: { doing: string; done: number; of: number } }
  | { reply: BackupReply<V> }
  | { refusal: { code: string; message: string; next?: string } }
