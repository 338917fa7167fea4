import type { audit } from '#contract/audit'
import type { Reply } from '#contract/define'
import type { Entry } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import type { Page, Wanted } from './queries.ts'
import { kindOf, kindsOf, shownKind, timeOf } from './rules.ts'

const changes = ['audit.entity_created', 'audit.entity_updated', 'audit.entity_deleted', 'audit.entity_restored']
const judgements = ['keeper.request', 'keeper.decision']
const most = 200
const fallback = 50
/** The last page that can be asked for: what is older is read in the journal. */
const lastPage = 10_000

type Query = Call<typeof audit.list>['query']
type Row = Reply<typeof audit.list>['data'][number]

export async function list(app: App, { actor, query }: Call<typeof audit.list>): Promise<Reply<typeof audit.list>> {
  const page = within(query.page, 1, lastPage, 1)
  const limit = within(query.limit, 1, most, fallback)
  const ws = app.index.names.find(0, actor.workspace) ?? -1
  const asked: Wanted = { ...filterOf(app, ws, query), ws, limit, offset: (page - 1) * limit }
  const { rows, total } = JSON.parse(await app.reads.run('scan', 'audit', asked)) as Page
  return {
    data: rows.map(toRow),
    pagination: { page, limit, total, total_pages: Math.ceil(total / limit) },
  }
}

function filterOf(app: App, ws: number, query: Query) {
  const { source, entity_type, action, user_id, date_from, date_to } = query
  const ofSource = source && source !== 'keeper' ? kindsOf(source) : null
  const kind = entity_type ? kindOf(entity_type) : null
  const kinds = kind ? (ofSource ?? [kind]).filter((it) => it === kind) : ofSource
  const types = (source === 'keeper' ? judgements : changes).flatMap((type) => app.index.names.find(ws, type) ?? [])
  return {
    types,
    kinds: kinds && JSON.stringify(kinds),
    action: action?.toLowerCase() || null,
    user: user_id || null,
    from: timeOf('date_from', date_from),
    to: timeOf('date_to', date_to, true),
  }
}

/** A number of a query as clients send it; the fallback for what is none. */
function within(given: number | string | undefined, low: number, high: number, otherwise: number): number {
  const value = Number(given)
  return Number.isInteger(value) && value >= low ? Math.min(value, high) : otherwise
}

function toRow({ doc, email, full_name }: Page['rows'][number]): Row {
  const { id, ts, summary, entry_type, actor_type, actor_id, payload = {} } = JSON.parse(doc) as Entry
  const { action, entity_type, entity_id, name, metadata } = payload as Record<string, unknown>
  return {
    id,
    action: textOr(action, entry_type.slice(entry_type.lastIndexOf('_') + 1)),
    // An entry that was erased does not say any more what it was about.
    entity_type: typeof entity_type === 'string' ? shownKind(entity_type) : 'ERASED',
    entity_id: textOr(entity_id, null),
    entity_name: textOr(name, null),
    summary,
    metadata: (metadata as Record<string, unknown> | undefined) ?? null,
    ip_address: null,
    user_agent: null,
    actor_type,
    actor_id: actor_id ?? null,
    user: email !== null && actor_id ? { id: actor_id, email, full_name } : null,
    created_at: ts,
  }
}

const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' ? value : otherwise)
