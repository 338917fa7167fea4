import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Locking, locked } from '#kernel/bundle/age'
import { writeBundle } from '#kernel/bundle/envelope'
import type { ManifestCore } from '#kernel/bundle/manifest'
import { type Member, packMembers } from '#kernel/bundle/members'
import { spooledSums } from '#kernel/bundle/sum-list'
import { compressed } from '#kernel/bundle/zstd'
import { ending } from './endings.ts'

export const core: ManifestCore = {
  format_version: 1,
  svc_version_at_backup: '0.1.0',
  scope: 'instance',
  scope_level: 'standard',
  created_at: '2026-11-27T02:00:00Z',
  installation: 'cinstallation',
  runtime: 'process',
  schema_version: '0001-accounts.sql',
  key_included: false,
  encryption: { enabled: false },
  contents: { workspaces: [], crews: [], counts: {}, data_bytes: 0 },
  journal: { seq: 0, hash: null, sealed_seq: 0, sealed_at: null },
}

/** A folder that is removed after the test. */
export function scratchFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'muster-bundle-'))
  ending(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export async function* once(...chunks: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

export const file = (name: string, text: string | Buffer): Member => {
  const bytes = Buffer.from(text)
  return { name, type: 'file', mode: 0o600, size: bytes.length, content: once(bytes) }
}

/** The first member of every bundle. */
export const inner = (it: ManifestCore): Member => file('backup.json', JSON.stringify(it))

/** A bundle of these members, whatever they are; where it lies. */
export async function bundleOf(
  members: readonly Member[],
  { locking = { kind: 'none' }, change = {} }: { locking?: Locking; change?: Partial<ManifestCore> } = {},
): Promise<string> {
  const folder = scratchFolder()
  const about = { ...core, encryption: { enabled: locking.kind !== 'none' }, ...change }
  async function* all() {
    yield inner(about)
    yield* members
  }
  const tar = packMembers(all(), spooledSums(join(folder, 'sums')))
  const path = join(folder, 'made.muster.tar')
  await writeBundle(path, about, await locked(compressed(tar), locking))
  return path
}
