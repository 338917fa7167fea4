import type { Reply } from '#contract/define'
import { type memory, memoryRoom } from '#contract/memory'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call, Web } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { unifiedDiff } from '#kernel/unified-diff'
import { capOf } from './names.ts'
import { fileAt, mayWrite, type Owner, ownerOf, placeAt } from './places.ts'
import { type FileRow, queries } from './queries.ts'
import { appended, discard, filesOf, type Place, readFile, store, versionsOf } from './service.ts'

const shown = ({ prefix, tier }: Owner, { name, sha256, bytes, written_at, written_by }: FileRow) => ({
  path: `${prefix}${name}`,
  tier,
  name,
  sha256,
  bytes,
  cap_bytes: capOf(tier, name),
  written_at,
  written_by,
})

export function list(app: App, { actor, query }: Call<typeof memory.list>): Reply<typeof memory.list> {
  const { owner, name } = ownerOf(app, actor.workspace, query.path)
  const files = filesOf(app, owner.owner_id)
    .filter((file) => file.name.startsWith(name))
    .map((file) => shown(owner, file))
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { path: `${owner.prefix}${name}`, count: files.length, bytes, cap_bytes: memoryRoom.bytes, files }
}

const noFile = (path: string) => problem('not_found', { field: 'path', detail: `There is no memory ${path}` })

export function show(app: App, { actor, query }: Call<typeof memory.show>): Reply<typeof memory.show> {
  const { owner, place } = fileAt(app, actor.workspace, query.path)
  const row = queries(app.db).row.get(place.owner_id, place.name)
  if (!row) throw noFile(place.path)
  return { ...shown(owner, row), content: readFile(app, place.owner_id, place.name)!.content }
}

/** A file that the caller may write. */
function writable(app: App, { actor, path }: { actor: Call<typeof memory.write>['actor']; path: string }): Place {
  const { owner, place, readOnly } = fileAt(app, actor.workspace, path)
  mayWrite(app, actor, owner)
  if (readOnly)
    throw problem('invalid_field', { field: 'path', detail: 'A persona is written as such: see docs/persona.md' })
  return place
}

export function write(app: App, { actor, body, now }: Call<typeof memory.write>) {
  const place = writable(app, { actor, path: body.path })
  return store(app, place, body.content, { actor: actorOf(actor), action: 'write', expected: body.parent_sha, now })
}

export function append(app: App, { actor, body, now }: Call<typeof memory.append>) {
  const place = writable(app, { actor, path: body.path })
  return store(app, place, appended(app, place, body.content), { actor: actorOf(actor), action: 'append', now })
}

export function remove(app: App, { actor, query }: Call<typeof memory.remove>): undefined {
  const place = writable(app, { actor, path: query.path })
  if (!discard(app, place, actorOf(actor))) throw noFile(place.path)
}

export function versions(app: App, { actor, query }: Call<typeof memory.versions>): Reply<typeof memory.versions> {
  const { place } = fileAt(app, actor.workspace, query.path)
  const { limit } = pageOf(query, { fallback: 20, max: 100 })
  const { count } = queries(app.db).countVersions.get(place.owner_id, place.name)!
  const entries = versionsOf(app, place.owner_id, place.name, limit).map(({ parent_sha, ...version }) => ({
    ...version,
    ...(parent_sha !== null && { parent_sha }),
  }))
  const now = queries(app.db).row.get(place.owner_id, place.name)
  const projection =
    now && entries[0]?.sha256 === now.sha256
      ? { state: 'recorded' as const, reason: 'What stands there now is the newest version' }
      : { state: 'unavailable' as const, reason: now ? 'Its version is no longer kept' : 'There is no such file now' }
  return { path: place.path, count, entries, projection }
}

/** The whole hash of a version of a file, by its beginning. */
function versionCalled(app: App, { owner_id, name, path }: Place, sha: string): string {
  const found = /^[0-9a-f]{6,64}$/.test(sha) ? queries(app.db).hashes.all(owner_id, name, sha, `${sha}g`) : []
  if (found.length > 1)
    throw problem('invalid_field', { field: 'sha', detail: `Several versions of ${path} begin with ${sha}` })
  if (!found[0]) throw problem('not_found', { field: 'sha', detail: `${path} has no version ${sha}` })
  return found[0].sha256
}

function contentOf(app: App, { workspace_id }: Place, sha: string): string {
  const blob = queries(app.db).blob.get(workspace_id, sha)
  if (!blob) throw problem('not_found', { field: 'sha', detail: 'The text of that version is no longer kept' })
  return blob.content
}

export function version(app: App, { actor, sha, query, web }: Call<typeof memory.version> & { web: Web }): string {
  const { place } = fileAt(app, actor.workspace, query.path)
  const whole = versionCalled(app, place, sha)
  const content = contentOf(app, place, whole)
  web.reply.headers({
    'content-type': 'text/markdown; charset=utf-8',
    'x-memory-version-sha': whole,
    'x-memory-version-bytes': String(Buffer.byteLength(content)),
  })
  return content
}

/** What it holds is judged again: rules may have become stricter since. */
export function restore(app: App, { actor, sha, body, now }: Call<typeof memory.restore>) {
  const { owner, place } = fileAt(app, actor.workspace, body.path)
  if (body.tier && body.tier !== owner.tier)
    throw problem('invalid_field', { field: 'tier', detail: `${place.path} is memory of the tier ${owner.tier}` })
  const content = contentOf(app, place, versionCalled(app, place, sha))
  const to = body.canonical_path === undefined ? place.path : body.canonical_path
  const target = ownerOf(app, actor.workspace, to)
  if (target.owner.owner_id !== owner.owner_id)
    throw problem('invalid_field', { field: 'canonical_path', detail: 'It must be a file of the same owner' })
  const there = writable(app, { actor, path: `${owner.prefix}${target.name}` })
  return store(app, placeAt(owner, there.name), content, { actor: actorOf(actor), action: 'restore', now })
}

/** Two texts of a file; what they are is told by their hashes, and null is that there was none. */
export function diff(app: App, { actor, query }: Call<typeof memory.diff>): Reply<typeof memory.diff> {
  const { place } = fileAt(app, actor.workspace, query.path)
  const current = queries(app.db).row.get(place.owner_id, place.name)?.sha256 ?? null
  const newest = queries(app.db).versions.get(place.owner_id, place.name, 1)
  if (!newest) throw noFile(place.path)
  const to = query.to ? versionCalled(app, place, query.to) : current
  const from = query.from ? versionCalled(app, place, query.from) : before(app, place, to)
  const [old, young] = [from, to].map((sha) => (sha === null ? '' : contentOf(app, place, sha))) as [string, string]
  const called = (sha: string | null) => (sha === null ? 'nothing' : sha.slice(0, 12))
  const names = [`${place.path} (${called(from)})`, `${place.path} (${called(to)})`] as const
  const { text, additions, deletions } = unifiedDiff(names, old, young)
  const identical = from === to
  return {
    path: place.path,
    from,
    to,
    identical,
    unified_diff: identical ? '' : text,
    stats: { additions, deletions },
  }
}

/** What a version replaced; of a file that was removed, what stood there at last. */
function before(app: App, { owner_id, name }: Place, sha: string | null): string | null {
  const all = queries(app.db).versions.all(owner_id, name, 1000)
  if (sha === null) return all[0]?.sha256 ?? null
  return all.find(({ sha256 }) => sha256 === sha)?.parent_sha ?? null
}
