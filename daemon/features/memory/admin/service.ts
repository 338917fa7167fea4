import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { type MemoryKind, type memory, memoryKinds, retentionDays } from '#contract/memory'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call, Web } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { queries as files } from '../queries.ts'
import { shaOf } from '../service.ts'
import { type HistoryRow, queries } from './queries.ts'

export function stats(app: App, { actor: { workspace } }: Call<typeof memory.stats>): Reply<typeof memory.stats> {
  const { totals, blobs, byTier, byAgent } = queries(app.db)
  return {
    workspace_id: workspace,
    totals: { ...totals.get(workspace)!, ...blobs.get(workspace)! },
    by_tier: byTier.all(workspace),
    by_agent: byAgent.all(workspace),
  }
}

const toRow = ({ seq, parent_sha, ...row }: HistoryRow) => ({
  ...row,
  tier: row.tier as MemoryKind,
  ...(parent_sha !== null && { parent_sha }),
})

function timeOf(text: string | undefined, field: string, fallback: string): string {
  if (text === undefined || text === '') return fallback
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw problem('invalid_field', { field, detail: `${field} must be a time as of RFC 3339` })
  return wholeSeconds(at)
}

export function history(app: App, { actor, query }: Call<typeof memory.history>): Reply<typeof memory.history> {
  const { limit } = pageOf(query, { fallback: 50, max: 500 })
  const { tier, agent_slug, path_prefix, cursor } = query
  if (tier && !memoryKinds.includes(tier as MemoryKind))
    throw problem('invalid_field', { field: 'tier', detail: `tier is one of ${memoryKinds.join(', ')}` })
  const before = cursor ? Number(/^v(\d{1,15})$/.exec(cursor)?.[1] ?? Number.NaN) : Number.MAX_SAFE_INTEGER
  if (Number.isNaN(before))
    throw problem('invalid_field', { field: 'cursor', detail: 'cursor is not one of this list' })
  const found = queries(app.db).history.all({
    workspace: actor.workspace,
    tier: tier || null,
    agent: agent_slug || null,
    prefix: path_prefix ?? '',
    since: timeOf(query.since, 'since', ''),
    until: timeOf(query.until, 'until', '9999'),
    before,
    limit: limit + 1,
  })
  const rows = found.slice(0, limit)
  const { limit: _, cursor: __, ...filters } = query
  return {
    workspace_id: actor.workspace,
    rows: rows.map(toRow),
    next_cursor: found.length > limit ? `v${rows.at(-1)!.seq}` : null,
    limit,
    filters_applied: Object.fromEntries(Object.entries(filters).filter(([, value]) => value)),
  }
}

export function content(app: App, { actor, versionId, web }: Call<typeof memory.content> & { web: Web }): string {
  const row = queries(app.db).version.get(actor.workspace, versionId)
  if (!row) throw problem('not_found', { field: 'versionId', detail: 'There is no such version' })
  const blob = files(app.db).blob.get(actor.workspace, row.sha256)
  if (!blob) throw problem('memory_gone')
  if (shaOf(blob.content) !== row.sha256) throw new Error(`${row.id} is another text than was written`)
  web.reply.headers({
    'content-type': 'text/markdown; charset=utf-8',
    'cache-control': 'private, max-age=31536000, immutable',
    'x-memory-sha256': row.sha256,
    'x-memory-bytes': String(row.bytes),
    'x-memory-tier': row.tier,
    'x-memory-path': encodeURI(row.path),
    'x-memory-written-at': row.written_at,
    'x-memory-written-by': row.written_by,
  })
  return blob.content
}

type Config = Record<string, unknown>

const stored = (app: App, workspace: string): Config | null => {
  const row = queries(app.db).config.get(workspace)
  return row ? (JSON.parse(row.config_json) as Config) : null
}

const daysIn = (config: Config | null): number => (config?.['versions_retention_days'] as number) ?? retentionDays

export function showConfig(app: App, workspace: string): Reply<typeof memory.config> {
  const config = stored(app, workspace)
  return {
    workspace_id: workspace,
    versions_retention_days: daysIn(config),
    is_default: config?.['versions_retention_days'] === undefined,
    ...(config && { raw_config: JSON.stringify(config) }),
  }
}

export function setConfig(app: App, { actor, body }: Call<typeof memory.setConfig>): Reply<typeof memory.config> {
  const before = stored(app, actor.workspace) ?? {}
  const changed = Object.entries(body).filter(([key, to]) => JSON.stringify(before[key]) !== JSON.stringify(to))
  if (changed.length) {
    const next = JSON.stringify({ ...before, ...Object.fromEntries(changed) })
    if (Buffer.byteLength(next) > 16_384)
      throw problem('body_too_large', { detail: 'All members together have at most 16384 bytes' })
    queries(app.db).setConfig.run(actor.workspace, next)
    const changes = Object.fromEntries(changed.map(([key, to]) => [key, { from: before[key] ?? null, to }]))
    const about = { workspace_id: actor.workspace, ...actorOf(actor) }
    app.journal(fact('memory.config_updated', { workspace_id: actor.workspace, changes }, about))
  }
  return showConfig(app, actor.workspace)
}

/** Deletes up to `most` versions that are past their workspace's retention; returns how many. */
export function forgetOldVersions(app: App, most: number): number {
  const { workspaces, forget, forgetBlob } = queries(app.db)
  let forgotten = 0
  for (const { id: workspace } of workspaces.all()) {
    if (forgotten === most) break
    const days = daysIn(stored(app, workspace))
    const before = wholeSeconds(app.clock() - days * 86_400_000)
    const gone = forget.all({ workspace, before, most: most - forgotten })
    if (!gone.length) continue
    const blobs = [...new Set(gone.map(({ sha256 }) => sha256))].reduce(
      (sum, sha256) => sum + forgetBlob.run({ workspace, sha256 }).changes,
      0,
    )
    const bytes = gone.reduce((sum, row) => sum + row.bytes, 0)
    const payload = { deleted_count: gone.length, blobs, bytes, retention_days: days }
    app.journal(fact('memory.versions_swept', payload, { workspace_id: workspace, actor_type: 'system' }))
    forgotten += gone.length
  }
  return forgotten
}
