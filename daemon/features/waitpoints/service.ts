import { createHmac, hash, randomBytes } from 'node:crypto'
import { allows } from '#contract/roles'
import type { waitpoints } from '#contract/waitpoints'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { Problem, problem } from '#kernel/problem'
import { isOpen, open, settle } from '../decisions/service.ts'
import { factOf, waitpoint } from './kind.ts'
import { queries, type Row } from './queries.ts'

const hashOf = (token: string): string => hash('sha256', token, 'hex')

/** Derived from the key, so that deciders can see it again although only its hash is stored; null without a key. */
export const tokenFor = ({ vault }: App, id: string): string | null =>
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

/** Makes work wait for people, or for whoever the caller gives the token to. */
export function openWaitpoint(app: App, it: Opened): { id: string; token: string } {
  const { workspace, kind, prompt, run, step, crew, seconds, payload, now } = it
  const id = newId(app.clock())
  const token = tokenFor(app, id) ?? randomBytes(32).toString('base64url')
  queries(app.db).insert.run({
    id,
    workspace_id: workspace,
    token_hash: hashOf(token),
    run_id: run ?? null,
    step_id: step ?? null,
    invoking_crew_id: crew ?? null,
    kind,
    prompt,
    payload_json: payload ? JSON.stringify(payload) : null,
    created_at: now,
  })
  const decision = open(app, waitpoint, {
    id,
    workspace,
    asked: prompt,
    crew: crew ?? null,
    run: run ?? null,
    ...(seconds !== undefined && { seconds }),
    card: {
      title: prompt.split('\n')[0]!.slice(0, 120),
      body: prompt,
      sender: { type: 'pipeline', ...(run && { id: run }) },
      payload: (timeout_at) => ({
        waitpoint_id: id,
        timeout_at,
        ...(run && { pipeline_run_id: run }),
        ...(step && { step_id: step }),
        ...(crew && { invoking_crew_id: crew }),
      }),
    },
    now,
  })
  app.journal(factOf('approval.requested', decision, null))
  return { id, token }
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
function decide(app: App, { id }: Row, actor: Actor | null, { approved, comment }: Decision, now: string) {
  if (!isOpen(app, id, now)) return settledBefore(queries(app.db).byId.get(id)!)
  const outcome = approved ? 'approved' : 'denied'
  settle(app, id, { state: 'decided', outcome, actor, now, comment: blankToNull(comment) })
  return { ok: true, approved }
}

/** What became of a waitpoint, and what was said or sent with the decision. */
export function waitpointOf({ db }: App, id: string) {
  const row = queries(db).outcome.get(id)
  if (!row) return null
  const { payload_json, ...rest } = row
  return { ...rest, payload: payload_json === null ? null : (JSON.parse(payload_json) as unknown) }
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
  const { payload, ...decision } = body
  const json = payload === undefined ? null : JSON.stringify(app.scrub(scopeOf(row), [])(payload))
  if (json !== null && json.length > payloadLimit)
    throw problem('body_over_limit', { field: 'payload', detail: 'The payload may have 64 KiB as JSON' })
  const decided = decide(app, row, actor, decision, now)
  if (json !== null && !(decided instanceof Problem)) queries(app.db).payload.run(json, row.id)
  return decided
}

const payloadLimit = 65_536
const scopeOf = ({ workspace_id }: Row) => ({ workspace_id, agent_id: '' })

export const list = (app: App, { actor }: Call<typeof waitpoints.list>) =>
  queries(app.db)
    .open.all(actor.workspace)
    .filter(({ timeout_at }) => timeout_at! > app.now())
    .map(({ id, run_id, step_id, kind, prompt, invoking_crew_id, timeout_at, created_at }) => ({
      id,
      pipeline_run_id: run_id,
      step_id,
      kind,
      prompt,
      ...(invoking_crew_id && { invoking_crew_id }),
      timeout_at: timeout_at!,
      created_at,
      ...handleOf(app, id, actor),
    }))

/** What clients approve it by: a token is a permission in itself, so those who may not decide see the id instead. */
function handleOf(app: App, id: string, { role }: Actor): { token: string; callback_url?: string } {
  const token = role && allows('MANAGER', role) && tokenFor(app, id)
  if (!token) return { token: id }
  return { token, callback_url: `${app.config.publicUrl.replace(/\/+$/, '')}/api/v1/waitpoint-tokens/${token}` }
}
