import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import type { BackupListed } from '#contract/backup'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { homeOf, homeRoleOf } from '#kernel/auth/home'
import { readManifest, verifyWhole } from '#kernel/bundle/envelope'
import type { Manifest } from '#kernel/bundle/manifest'
import { BundleRefused } from '#kernel/bundle/refusal'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { backupFolder, findBundle, listBundles, onSameDisk } from './folder.ts'
import { requireFolder, running } from './making.ts'
import { expired } from './rules.ts'

/** A bundle holds what all workspaces have, and anyone may own one: only the first workspace counts. */
export function guard(app: App, actor: Actor): void {
  const role = homeRoleOf(app, actor.id)
  if (!role || !allows('ADMIN', role))
    throw problem('insufficient_role', {
      detail: 'Only ADMIN and OWNER of the first workspace of this server back it up',
    })
}

export async function list(app: App, actor: Actor): Promise<{ data: BackupListed[] }> {
  guard(app, actor)
  requireFolder(app)
  return { data: await listBundles(app) }
}

export async function status(app: App, actor: Actor) {
  guard(app, actor)
  requireFolder(app)
  const now = running(app)
  return {
    held: now !== undefined,
    workspace_id: now ? (homeOf(app) ?? null) : null,
    acquired_by: now?.by ?? null,
    acquired_at: now?.at ?? null,
    expires_at: null,
    phase: now?.phase ?? null,
    done_bytes: now?.done ?? 0,
    last: (await newest(app)) ?? null,
    folder: backupFolder(app),
    same_disk: await onSameDisk(app),
  }
}

/** The newest usable bundle of this server. */
export const newest = async (app: App): Promise<BackupListed | undefined> =>
  (await listBundles(app, true)).find(({ flaw }) => flaw === undefined)

export async function inspect(app: App, actor: Actor, path: string): Promise<Manifest> {
  guard(app, actor)
  requireFolder(app)
  const found = await findBundle(app, path)
  try {
    return await readManifest(found)
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error
    throw problem('bundle_unusable', { detail: error.message })
  }
}

export async function verify(app: App, actor: Actor, path: string) {
  guard(app, actor)
  requireFolder(app)
  const found = await findBundle(app, path)
  const size_bytes = (await listBundles(app)).find((it) => it.path === found)?.size_bytes ?? 0
  try {
    return { valid: true, size_bytes, manifest: await verifyWhole(found), error: null }
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error
    const manifest = await readManifest(found).catch(() => null)
    return { valid: false, size_bytes, manifest, error: error.message }
  }
}

/** When the newest backup was made, and whether it lies on the disk of the data; null where there can be none. */
export async function lastBackup(app: App): Promise<{ lastAt: number | null; sameDisk: boolean } | null> {
  if (app.db.memory) return null
  const last = await newest(app)
  return { lastAt: last?.created_at ? Date.parse(last.created_at) : null, sameDisk: await onSameDisk(app) }
}

/** Deletes the bundles of this server that are neither among the newest nor young enough. */
export async function rotate(
  app: App,
  actor: Actor | null,
  keep: { last?: number | undefined; days?: number | undefined },
  dry: boolean,
): Promise<string[]> {
  const old = expired(await listBundles(app, true), keep, app.clock())
  if (!dry) for (const { path } of old) await removeBundle(app, actor, path)
  return old.map(({ path }) => path)
}

export async function removeBundle(app: App, actor: Actor | null, path: string): Promise<void> {
  await rm(path)
  const name = basename(path)
  const about = { workspace_id: homeOf(app)!, ...actorOf(actor) }
  await app.write(() => app.journal(fact('backup.deleted', { entity_id: name, name }, about)))
}
