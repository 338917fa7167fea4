import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { locked } from '#kernel/bundle/age'
import { writeBundle } from '#kernel/bundle/envelope'
import type { Made, PackJob } from '#kernel/bundle/job'
import { formatVersion, type ManifestCore } from '#kernel/bundle/manifest'
import { type Member, packMembers } from '#kernel/bundle/members'
import { spooledSums } from '#kernel/bundle/sum-list'
import { compressed } from '#kernel/bundle/zstd'
import { headsOf } from '#kernel/journal/seal'
import { loadSeals } from '#kernel/journal/seal-file'
import { type Db, openReader } from '#kernel/store/db'
import { version } from '#kernel/version'
import { entryAt, installationOf, newestEntry } from '../start/facts.ts'
import { keyFile } from '../start/key.ts'
import { sealFile } from '../start/open.ts'
import { storeFile } from '../store.ts'
import { filesOfContainers, filesOfProcesses } from './crew-files.ts'
import { queries } from './queries.ts'
import { fileOf } from './tree.ts'

/** Makes a bundle of what the daemon has copied, and of the crews' files as they are now. */
export async function pack(job: PackJob, wrote: (bytes: number) => void): Promise<Made> {
  const db = openReader(storeFile(job.scratch))
  try {
    const core = await coreOf(job, db)
    const packed = { members: 0, bytes: 0 }
    const tar = packMembers(membersOf(job, core, db), spooledSums(join(job.scratch, 'sums')), packed)
    const payload = await locked(compressed(tar), job.locking)
    const { manifest, bytes } = await writeBundle(job.path, core, payload, wrote)
    return {
      size_bytes: bytes,
      payload_sha256: manifest.checksums.payload_sha256,
      members: packed.members,
      key_included: core.key_included,
    }
  } finally {
    db.close()
  }
}

async function coreOf(job: PackJob, db: Db): Promise<ManifestCore> {
  const { locking, level } = job
  const all = queries(db)
  const { size } = await stat(storeFile(job.scratch))
  const seals = loadSeals(join(job.scratch, sealFile), null).seals
  const last = seals.at(-1)
  const seq = newestEntry(db)?.seq ?? 0
  return {
    format_version: formatVersion,
    svc_version_at_backup: version,
    scope: 'instance',
    scope_level: level,
    created_at: job.created_at,
    installation: installationOf(db),
    runtime: job.provider,
    schema_version: all.schema.get() ?? '',
    key_included: job.key !== null,
    encryption: encryptionOf(locking),
    contents: {
      workspaces: all.workspaces.all(),
      crews: all.crews.all(),
      counts: { ...all.counts.get()! },
      data_bytes: size + (level === 'quick' ? 0 : all.fileBytes.get()!),
    },
    journal: {
      seq,
      hash: entryAt(db, seq)?.hash.toString('hex') ?? null,
      sealed_seq: Math.max(0, ...[...headsOf(seals).values()].map(([, , at]) => at)),
      sealed_at: last?.at ?? null,
    },
  }
}

function encryptionOf(locking: PackJob['locking']): ManifestCore['encryption'] {
  if (locking.kind === 'none') return { enabled: false }
  const algorithm = 'age'
  return locking.kind === 'passphrase'
    ? { enabled: true, algorithm, key_derivation: 'scrypt' }
    : { enabled: true, algorithm, recipients: [locking.recipient] }
}

async function* membersOf(job: PackJob, core: ManifestCore, db: Db): AsyncGenerator<Member> {
  const { scratch, dataDir, level, key, locking } = job
  yield textMember('backup.json', `${JSON.stringify(core)}\n`)
  yield* fileOf(storeFile(scratch), 'data/muster.db')
  yield* fileOf(join(scratch, sealFile), `data/${sealFile}`)
  if (key !== null) yield textMember(`data/${keyFile}`, `${key}\n`)
  // It is a secret: only an encrypted bundle has it, and a new one is made where it is missing.
  if (locking.kind !== 'none') yield* fileOf(join(dataDir, 'receipts.key'), 'data/receipts.key')
  if (level === 'quick') return
  for (const { storage_key } of queries(db).files.all())
    yield* fileOf(join(scratch, 'attachments', storage_key), `data/attachments/${storage_key}`)
  const crews = queries(db).crews.all()
  if (job.provider === 'process') yield* filesOfProcesses(dataDir, crews, level)
  else yield* filesOfContainers({ prefix: job.prefix, installation: core.installation }, job.image, crews, level)
}

function textMember(name: string, text: string): Member {
  const bytes = Buffer.from(text)
  return { name, type: 'file', mode: 0o600, size: bytes.length, content: once(bytes) }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
