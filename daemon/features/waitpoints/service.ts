import { createHmac, hash, randomBytes } from 'node:crypto'
import type { EntryType } from '#contract/entries'
import { allows } from '#contract/roles'
import type { waitpoints } from '#contract/waitpoints'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Problem, problem } from '#kernel/problem'
import { raise, settle as settleItem } from '../inbox/service.ts'
import { queries, type Row } from './queries.ts'

/** Contract part 3, section 4.2. */
const daySeconds = 86_400
const hashOf = (token: string): string => hash('sha256', token, 'hex')

/** Derived from the key, so that deciders can see it again although only its hash is stored; null without a key. */
const tokenOf = ({ vault }: App, id: string): string | null =>
  vault && createHmac('sha256', vault.derive('waitpoint-token')).update(id).digest('base64url')

interface Opened {
  workspace: string
  kind: string
  prompt: string
  run?: string
  step?: string
  crew?: string
  seconds?: number
  payload?: Record<string, unknown>
  now: string
}

/** Makes work wait for people, or for whoever the caller gives the token to. Within a change. */
export function openWaitpoint(
  app: App,
  { workspace, kind, prompt, run, step, crew, seconds = daySeconds, payload, now }: Opened,
): { id: string; token: string } {
  const id = newId(app.clock())
  const token = tokenOf(app, id) ?? randomBytes(32).toString('base64url')
  const timeout_at = wholeSeconds(app.clock() + seconds * 1000)
  const about = { run_id: run ?? null, step_id: step ?? null, invoking_crew_id: crew ?? null }
  const payload_json = payload ? JSON.stringify(payload) : null
  queries(app.db).insert.run({
    id,
    workspace_id: workspace,
    token_hash: hashOf(token),
    ...about,
    kind,
    prompt,
    timeout_at,
    payload_json,
    created_at: now,
  })
  raise(app, {
    workspace,
    kind: 'waitpoint',
    source: id,
    target: { role: 'MANAGER' },
    title: prompt.split('\n')[0]!.slice(0, 120),
    body: prompt,
    priority: 'high',
    blocking: true,
    attention: 'decision',
    sender: { type: 'pipeline', ...(run && { id: run }) },
    payload: {
      waitpoint_id: id,
      timeout_at,
      ...(run && { pipeline_run_id: run }),
      ...(step && { step_id: step }),
      ...(crew && { invoking_crew_id: crew }),
    },
    now,
  })
  note(app, queries(app.db).byId.get(id)!, 'approval.requested', null, null)
  app.afterCommit(() => app.bus.emit('due', timeout_at))
  return { id, token }
}

function note(app: App, row: Row, type: EntryType, actor: Actor | null, comment: string | null): void {
  app.journal({
    workspace_id: row.workspace_id,
    ...(row.invoking_crew_id && { crew_id: row.invoking_crew_id }),
    type,
    summary: `waitpoint: ${row.prompt.split('\n')[0]!.slice(0, 120)} (${row.status})`,
    ...actorOf(actor),
    ...(row.run_id && { trace_id: row.run_id }),
    payload: { approval_id: row.id, kind: 'waitpoint', ...(comment && { comment }) },
    refs: { approval_id: row.id },
  })
}

const ends = {
  approved: { entry: 'approval.granted', action: 'approved' },
  denied: { entry: 'approval.denied', action: 'denied' },
  timed_out: { entry: 'approval.timeout', action: 'timed_out' },
} as const

function end(
  app: App,
  id: string,
  status: keyof typeof ends,
  { actor, comment, now }: { actor: Actor | null; comment: string | null; now: string },
): Row | null {
  const row = queries(app.db).settle.get({ id, status, user: actor?.id ?? null, comment, now })
  if (!row) return null
  const { entry, action } = ends[status]
  settleItem(app, {
    workspace: row.workspace_id,
    kind: 'waitpoint',
    source: row.id,
    action,
    by: actor?.id ?? null,
    now,
  })
  note(app, row, entry, actor, comment)
  return row
}

const settledBefore = ({ status, timeout_at, decided_at }: Row): Problem =>
  problem('approval_settled', {
    detail:
      status === 'timed_out' ? `The time to decide was over at ${timeout_at}` : `It was ${status} at ${decided_at}`,
    extra: { settled: { status, decided_at } },
  })

interface Decision {
  approved: boolean
  comment?: string
}

/** Returned, not thrown, when it ran out: that is to be kept. */
function decide(app: App, row: Row, actor: Actor | null, { approved, comment: given }: Decision, now: string) {
  const comment = blankToNull(given)
  if (row.status !== 'pending') return settledBefore(row)
  if (row.timeout_at <= now)
    return settledBefore(end(app, row.id, 'timed_out', { actor: null, comment: null, now }) ?? row)
  end(app, row.id, approved ? 'approved' : 'denied', { actor, comment, now })
  return { ok: true, approved }
}

const absent = () => problem('not_found', { field: 'token', detail: 'Nothing waits under that name' })

export function approve(app: App, { actor, token, body, now }: Call<typeof waitpoints.approve>) {
  const { byId, byHash } = queries(app.db)
  const row = byHash.get(hashOf(token)) ?? byId.get(token)
  if (row?.workspace_id !== actor.workspace) throw absent()
  return decide(app, row, actor, body, now)
}

/** The token is the permission, so that systems without an account can resume what waits for them. */
export function callback(app: App, { actor, token, body, now }: Call<typeof waitpoints.callback>) {
  const row = queries(app.db).byHash.get(hashOf(token))
  if (!row) throw absent()
  return decide(app, row, actor, body, now)
}

export const list = (app: App, { actor }: Call<typeof waitpoints.list>) =>
  queries(app.db)
    .open.all(actor.workspace)
    .filter(({ timeout_at }) => timeout_at > app.now())
    .map(({ id, run_id, step_id, kind, prompt, invoking_crew_id, timeout_at, created_at }) => ({
      id,
      pipeline_run_id: run_id,
      step_id,
      kind,
      prompt,
      ...(invoking_crew_id && { invoking_crew_id }),
      timeout_at,
      created_at,
      ...(actor.role && allows('MANAGER', actor.role) && callbackOf(app, id)),
    }))

function callbackOf(app: App, id: string): { token?: string; callback_url?: string } {
  const token = tokenOf(app, id)
  if (token === null) return {}
  return { token, callback_url: `${app.config.publicUrl.replace(/\/+$/, '')}/api/v1/waitpoint-tokens/${token}` }
}

/** When the next one times out; null when none is open. */
export const nextTimeout = ({ db }: App): string | null => queries(db).next.get()?.at ?? null

/** Ends what nobody decided in time, at most so many; how many these were. Within a change. */
export function endTimedOut(app: App, most: number): number {
  const now = app.now()
  const due = queries(app.db).due.all({ now, most })
  for (const { id } of due) end(app, id, 'timed_out', { actor: null, comment: null, now })
  return due.length
}
