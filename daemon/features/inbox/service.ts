import { fact } from '#contract/entries'
import type { InboxKind, InboxState, inbox } from '#contract/inbox'
import type { Role } from '#contract/roles'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { type Problem, problem } from '#kernel/problem'
import { secondApproverRequired } from '../workspaces/service.ts'
import { audiencesOf, type Listed, listingOf, listings, type Place, queries, type Row, type Seen } from './queries.ts'
import {
  type Deciding,
  decidingOf,
  evidenceOf,
  isSettled,
  managedBy,
  missingSource,
  payloadOf,
  present,
  rolesBelow,
  stateOf,
} from './rules.ts'

/** Whom an item is for: somebody, a role and those above, or everybody in the workspace. */
export type Target = { user: string } | { role: Role } | 'workspace'

export interface Raise {
  workspace: string
  kind: InboxKind
  /** Unique within workspace and kind; never a secret, for the item's id is made of it. */
  source: string
  target: Target
  title: string
  body?: string | null
  priority?: Row['priority']
  blocking?: boolean
  sender?: { type: 'agent' | 'user' | 'system' | 'pipeline' | 'crew'; id?: string; name?: string }
  payload?: Record<string, unknown>
  thread?: string
  attention?: 'decision' | 'input' | 'review' | 'repair'
  actions?: { id: string; label: string; effect?: string; irreversible?: boolean }[]
  /** How it is decided, where something waits for that. */
  decides?: Deciding
  /** The run that it is about. */
  run?: string | null
  /** What the broadcast says beside. */
  says?: Record<string, string>
  now: string
}

/**
 * `insert`: a repeat is ignored. `upsert`: a repeat refreshes the item, unread for everybody. `thread`: as upsert, into
 * the open item of its thread.
 */
export type Mode = 'insert' | 'upsert' | 'thread'

export const itemId = (kind: InboxKind, source: string): string => `ibx_${kind}_${source}`

const audienceOf = (target: Target): string =>
  target === 'workspace' ? 'all' : 'user' in target ? `user:${target.user}` : `role:${target.role}`

/** Adds an item to the inbox; returns its id. */
export function raise(app: App, it: Raise, mode: Mode = 'insert'): string {
  const { insert, refresh, forgetReads, ofThread } = queries(app.db)
  const source = (mode === 'thread' && it.thread && ofThread.get(it.workspace, it.thread)?.source_id) || it.source
  const id = itemId(it.kind, source)
  const row = {
    id,
    workspace_id: it.workspace,
    kind: it.kind,
    source_id: source,
    audience: audienceOf(it.target),
    title: it.title,
    body_md: it.body ?? null,
    priority: it.priority ?? 'medium',
    blocking: it.blocking ? (1 as const) : (0 as const),
    sender_type: it.sender?.type ?? null,
    sender_id: it.sender?.id ?? null,
    sender_name: it.sender?.name ?? null,
    payload_json: it.payload ? JSON.stringify(it.payload) : null,
    thread_key: it.thread ?? null,
    attention_class: it.attention ?? null,
    actions_json: it.actions ? JSON.stringify(it.actions) : null,
    decides_json: it.decides ? JSON.stringify(it.decides) : null,
    run_id: it.run ?? null,
    created_at: it.now,
    updated_at: it.now,
  }
  if (!insert.get(row)) {
    if (mode === 'insert') return id
    const { seq } = refresh.get(row)!
    forgetReads.run(seq)
  }
  tell(app, it.workspace, { id, state: 'unread', ...it.says })
  return id
}

interface Settling {
  workspace: string
  id: string
  action: string
  by: string | null
  /** Nothing decides it any more. */
  release?: boolean
  now: string
}

/** What it is about was decided: the item is resolved for everybody. Nothing when there is none or it is resolved. */
export function settle(app: App, it: Settling): void {
  const { workspace, id, action, by, now } = it
  const row = queries(app.db).byId.get(workspace, id)
  if (row && it.release) release(app, workspace, id)
  if (!row || row.resolved_at) return
  queries(app.db).resolve.run({ seq: row.seq, user: by, action, now })
  tell(app, workspace, { id: row.id, state: 'resolved' })
}

/** Removes the decision from an item whose subject was deleted. */
export const release = (app: App, workspace: string, id: string): void =>
  void queries(app.db).release.run(workspace, id)

/** Puts an open item before this person instead. */
export function giveTo(app: App, workspace: string, id: string, user: string): void {
  const given = queries(app.db).giveTo.get({ workspace, id, to: audienceOf({ user }), now: app.now() })
  if (given) tell(app, workspace, { id, state: 'unread' })
}

/**
 * Questions of agents to somebody who may not decide any more go to those who lead; those of rooms are for their
 * members alone.
 */
export function handOver(app: App, workspace: string, user: string): void {
  const to = audienceOf({ role: 'MANAGER' })
  for (const { id } of queries(app.db).handOver.all({ workspace, from: audienceOf({ user }), to, now: app.now() }))
    tell(app, workspace, { id, state: 'unread' })
}

/** Adds members to the payload of an item. */
export function amendPayload(app: App, workspace: string, id: string, more: Record<string, unknown>): void {
  const row = queries(app.db).byId.get(workspace, id)
  if (row) queries(app.db).patchPayload.run(JSON.stringify({ ...payloadOf(row.payload_json), ...more }), row.seq)
}

const tell = (app: App, workspace: string, payload: Record<string, string>) =>
  app.broadcast({ channel: `workspace:${workspace}`, type: 'inbox.updated', payload })

const placeOf = ({ workspace, id, role }: Actor): Place & { audiences: string } => ({
  workspace,
  user: id,
  audiences: audiencesOf(id, rolesBelow(role!)),
})

const seen = ({ db }: App, actor: Actor, id: string): Seen | undefined =>
  queries(db).find.get({ ...placeOf(actor), id })

/** Whether the caller may see an item. */
export const sees = (app: App, actor: Actor, id: string): boolean => seen(app, actor, id) !== undefined

/** The item if the caller may see it; invisible, foreign and absent ones answer alike. */
export function find(app: App, actor: Actor, id: string): Seen {
  const row = seen(app, actor, id)
  if (!row) throw problem('not_found', { field: 'itemId' })
  return row
}

export function list(app: App, { actor, query }: Call<typeof inbox.list>) {
  const { limit, offset } = pageOf(query)
  const place = placeOf(actor)
  const audiences = rolesBelow(actor.role!).length + 2
  const statement = listings(app.db)[listingOf((query.state ?? 'all') as Listed, audiences, query.kind !== undefined)]!
  const rows = statement.all({ ...place, kind: query.kind ?? null, limit: limit + 1, offset })
  const page = rows.slice(0, limit)
  return {
    rows: page.map((row) => ({ ...present(row), ...secondApprover(app, row) })),
    count: page.length,
    has_more: rows.length > limit,
    ...counts(app, place),
  }
}

function counts(app: App, place: Place) {
  const rows = queries(app.db).counts.all(place)
  const active: Record<string, number> = {}
  for (const { kind, active: count } of rows) active[kind] = (active[kind] ?? 0) + count
  const total = rows.reduce((sum, it) => sum + it.active, 0)
  return {
    unread_count: total - queries(app.db).readCount.get(place)!.active,
    ...(total > 0 && { active_by_kind: active }),
    decision_count: rows.reduce((sum, it) => sum + (it.blocking ? it.active : 0), 0),
  }
}

export const count = (app: App, { actor }: Call<typeof inbox.count>) => ({
  unread_count: counts(app, placeOf(actor)).unread_count,
})

/** Whether who set the agent up may not decide alone. Told as it is when the item is read. */
function secondApprover(app: App, row: Row) {
  const { guarded, tiered: by_tier = false } = decidingOf(row) ?? {}
  if (!guarded) return {}
  const by_workspace = secondApproverRequired(app, row.workspace_id)
  return {
    second_approver_required: by_workspace || by_tier,
    second_approver_by_workspace: by_workspace,
    second_approver_by_tier: by_tier,
  }
}

export function show(app: App, { actor, itemId }: Call<typeof inbox.show>) {
  const row = find(app, actor, itemId)
  return {
    ...present(row),
    ...secondApprover(app, row),
    ...evidenceOf(row),
    ...missingSource(row),
  }
}

/** Moves one item; a problem when it is decided where it comes from. docs/rules/inbox.md, "Settling". */
function move(
  app: App,
  actor: Actor,
  row: Seen,
  state: InboxState,
  action: string | null,
  now: string,
): Problem | null {
  const { read, readFirst, unread, reopen, resolve } = queries(app.db)
  const own = { seq: row.seq, user: actor.id, now }
  if (state === 'read') {
    read.run(own)
    readFirst.run(own)
    return null
  }
  const managed = managedBy(row, state)
  if (managed) return managed
  // What decided something stays on record as it was decided.
  if (state === 'resolved' && isSettled(row)) return null
  if (state === 'resolved') resolve.run({ ...own, action })
  else {
    unread.run(own)
    reopen.run(own)
  }
  return null
}

export function update(app: App, { actor, itemId, body, now }: Call<typeof inbox.update>) {
  const row = find(app, actor, itemId)
  const refused = move(app, actor, row, body.state, decidingOf(row)?.resolves ?? body.resolved_action ?? null, now)
  if (refused) throw refused
  if (body.state === 'resolved' && !isSettled(row)) note(app, actor, { ids: [row.id], state: body.state }, row.title)
  tell(app, actor.workspace, { id: row.id, state: body.state })
  return { id: row.id, state: body.state }
}

/** Whoever resolves for everybody stands in the journal; what one has read is one's own affair. */
function note(app: App, actor: Actor, metadata: { ids: string[]; state: InboxState }, name?: string): void {
  const payload = { entity_id: metadata.ids[0]!, ...(name && { name }), metadata }
  app.journal(fact('inbox_item.updated', payload, { workspace_id: actor.workspace, ...actorOf(actor) }))
}

export function bulk(app: App, { actor, body, now }: Call<typeof inbox.bulk>) {
  const { state, resolved_action = null } = body
  const skipped_ids: string[] = []
  const not_found: string[] = []
  const moved: string[] = []
  let unchanged = 0
  for (const id of new Set(body.ids)) {
    const row = queries(app.db).find.get({ ...placeOf(actor), id })
    if (!row) not_found.push(id)
    else if ((state === 'resolved' && row.blocking) || move(app, actor, row, state, resolved_action, now))
      skipped_ids.push(id)
    else if (stateOf(row) !== state) moved.push(id)
    else unchanged++
  }
  const updated = unchanged + moved.length
  if (state === 'resolved' && moved.length) note(app, actor, { ids: moved, state })
  if (updated) tell(app, actor.workspace, { bulk: 'true', state })
  return { updated, skipped: skipped_ids.length, skipped_ids, not_found, state }
}

export function purge(app: App, { actor, query }: Call<typeof inbox.purge>) {
  const { changes } = queries(app.db).purge.run({ workspace: actor.workspace, kind: query.kind ?? null })
  if (changes) {
    const metadata = { deleted: changes, ...(query.kind && { kind: query.kind }) }
    const about = { workspace_id: actor.workspace, ...actorOf(actor) }
    app.journal(fact('inbox.purged', { metadata }, about))
    tell(app, actor.workspace, { purge: 'true' })
  }
  return { deleted: changes }
}
