import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { BackupAsk, BackupReply } from '#contract/backup-host'
import { readManifest } from '#kernel/bundle/envelope'
import type { Manifest } from '#kernel/bundle/manifest'
import type { Config } from '#kernel/config'
import { openReader } from '#kernel/store/db'
import { inPlace, Refusal } from '../admin/place.ts'
import { verbs } from '../admin/verbs.ts'
import { entryAt, installationOf, newestEntry } from '../start/facts.ts'
import { presentKey } from '../start/key.ts'
import { storeFile } from '../store.ts'
import type { Say } from './progress.ts'
import { type Counts, queries } from './queries.ts'
import { askRehearsal } from './rehearsal.ts'
import { restore } from './restore.ts'

type Ask = BackupAsk<'drill'>
type Reply = BackupReply<'drill'>
type Check = Reply['checks'][number]

/**
 * Restores the newest backup into a scratch folder, starts a daemon on it that reaches nothing, compares what is there
 * with what was backed up, and says what has been stored since. The server itself is only read.
 */
export async function drill(config: Config, ask: Ask, say: Say): Promise<Reply> {
  const path = ask.path ?? (await newestOf(config))
  const manifest = await readManifest(path)
  const base = ask.scratch ? resolve(ask.scratch) : tmpdir()
  await mkdir(base, { recursive: true })
  const scratch = await mkdtemp(join(base, 'muster-drill-'))
  try {
    const dataDir = join(scratch, 'data')
    const key = ask.key ?? (manifest.key_included ? undefined : (presentKey(config) ?? undefined))
    const wish = { path, passphrase: ask.passphrase, identity: ask.identity, to: dataDir, without_crews: true }
    const restored = await restore({ ...config, encryptionKey: '' }, { ...wish, ...(key && { key }) }, say)
    const there = { ...config, dataDir, encryptionKey: '', logLevel: 'silent' as const }
    say.doing('Starting a daemon on it')
    const checks: Check[] = [
      { name: 'bundle', ok: true, detail: `${restored.members} files, each as it was backed up` },
      await started(there, restored.key !== 'missing'),
      counted(dataDir, manifest),
      head(dataDir, manifest),
      await chained(there),
    ]
    say.doing('Comparing')
    const live = await comparedWithLive(config, manifest)
    const all = live.check ? [...checks, live.check] : checks
    return {
      passed: all.every(({ ok }) => ok),
      path,
      created_at: manifest.created_at,
      age_seconds: Math.max(0, Math.round((Date.now() - Date.parse(manifest.created_at)) / 1000)),
      checks: all,
      lost: live.lost,
      warnings: await warningsOf(config, manifest, path),
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The newest backup of this server in its folder. */
export async function newestOf(config: Config): Promise<string> {
  const folder = resolve(config.backupDir || join(config.dataDir, 'backups'))
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.muster.tar'))
  for (const name of names.sort().reverse()) {
    const path = join(folder, name)
    const manifest = await readManifest(path).catch(() => null)
    if (manifest && (await isOwn(config, manifest))) return path
  }
  throw new Refusal('no_backup', `There is no backup of this server in ${folder}.`, 'muster backup create')
}

async function isOwn(config: Config, { installation }: Manifest): Promise<boolean> {
  return withLive(config, (db) => installationOf(db) === installation) ?? true
}

function withLive<T>({ dataDir }: Config, work: (db: ReturnType<typeof openReader>) => T): T | null {
  try {
    const db = openReader(storeFile(dataDir))
    try {
      return work(db)
    } finally {
      db.close()
    }
  } catch {
    return null
  }
}

async function started(config: Config, withKey: boolean): Promise<Check> {
  if (!withKey)
    return { name: 'start', ok: false, detail: 'It cannot start: the encryption key is neither here nor in the bundle' }
  const { ready, health, code, said } = await askRehearsal(config.dataDir)
  return ready && code === 0
    ? { name: 'start', ok: true, detail: `A daemon started on it: ${health}` }
    : { name: 'start', ok: false, detail: `No daemon starts on it: ${said.trim() || `it ended with ${code}`}` }
}

function counted(dataDir: string, { contents, journal }: Manifest): Check {
  const db = openReader(storeFile(dataDir))
  try {
    const found = queries(db).counts.get()!
    // The restore and the start say so in the journal.
    const added = (newestEntry(db)?.seq ?? 0) - journal.seq
    const wrong = Object.entries(contents.counts).filter(
      ([name, count]) => found[name as keyof Counts] !== count + (name === 'journal_entries' ? added : 0),
    )
    const detail = wrong.length
      ? wrong.map(([name, count]) => `${name}: ${found[name as keyof Counts]}, backed up ${count}`).join('; ')
      : Object.entries(contents.counts)
          .map(([name, count]) => `${count} ${name.replace('_', ' ')}`)
          .join(', ')
    return { name: 'counts', ok: wrong.length === 0, detail }
  } finally {
    db.close()
  }
}

function head(dataDir: string, { journal: { seq, hash, sealed_seq, sealed_at } }: Manifest): Check {
  const db = openReader(storeFile(dataDir))
  try {
    const ok = seq === 0 || entryAt(db, seq)?.hash.toString('hex') === hash
    const sealed = sealed_at ? `, sealed up to ${sealed_seq} at ${sealed_at}` : ''
    return { name: 'head', ok, detail: `entry ${seq} is ${ok ? '' : 'not '}the one that was backed up${sealed}` }
  } finally {
    db.close()
  }
}

async function chained(config: Config): Promise<Check> {
  const { valid, journals } = await inPlace(config, (app) => verbs['verify-journal'](app, {}))
  const entries = journals.reduce((sum, it) => sum + it.entries, 0)
  return {
    name: 'journal',
    ok: valid,
    detail: valid
      ? `${entries} entries of ${journals.length} journals, chain and seals hold`
      : 'a journal is not the one that was written: muster admin verify-journal says where',
  }
}

/** What the server has that the backup lacks, and whether one continues the other. */
async function comparedWithLive(config: Config, { contents, journal }: Manifest) {
  const found = withLive(config, (db) => ({
    counts: { ...queries(db).counts.get()! } as Record<string, number>,
    seq: newestEntry(db)?.seq ?? 0,
    hash: journal.seq ? entryAt(db, journal.seq)?.hash.toString('hex') : journal.hash,
  }))
  if (!found) return { check: null, lost: { entries: 0, counts: {} } }
  const more = Object.entries(found.counts).map(
    ([name, count]) => [name, Math.max(0, count - (contents.counts[name] ?? 0))] as const,
  )
  const same = journal.hash === null || found.hash === journal.hash
  const check: Check = {
    name: 'server',
    ok: same,
    detail: same
      ? 'the journal of the server continues the one that was backed up'
      : 'the journal of the server is another one than was backed up',
  }
  const counts = Object.fromEntries(more.filter(([, count]) => count > 0))
  return { check, lost: { entries: Math.max(0, found.seq - journal.seq), counts } }
}

async function warningsOf(config: Config, manifest: Manifest, path: string): Promise<string[]> {
  const [data, bundle] = await Promise.all([config.dataDir, path].map((it) => stat(it).catch(() => null)))
  const warnings: string[] = []
  if (!manifest.key_included)
    warnings.push(
      'The encryption key is not in the backup. Without a copy of encryption.key elsewhere, no stored secret opens ' +
        'again when this machine is lost',
    )
  if (data && bundle && data.dev === bundle.dev)
    warnings.push(
      'The backup is on the disk of the data: both are lost together. Copy it elsewhere, or set SVC_BACKUP_DIR',
    )
  if (!manifest.encryption.enabled) warnings.push('The backup is not encrypted')
  if (manifest.scope_level === 'quick') warnings.push('The backup has the database only: no files of chats and crews')
  if (manifest.scope_level === 'standard')
    warnings.push('The backup leaves out the homes of agents and the output of their runs (--level full has them)')
  return warnings
}
