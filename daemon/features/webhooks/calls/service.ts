import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { webhooks } from '#contract/webhooks'
import { type App, wholeSeconds } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import type { Buckets } from '#kernel/limits/buckets'
import { Problem, problem } from '#kernel/problem'
import { renderValue } from '#kernel/templates'
import { raise } from '../../inbox/service.ts'
import { routineById } from '../../routines/service.ts'
import { definitionOf, type Started, startRun } from '../../routines/starting/service.ts'
import { type Listed, queries, type Row } from '../queries.ts'
import { hashOf, secretOf, templateOf } from '../service.ts'
import { headersFor, keysOf, proofOf } from './rules.ts'

const keptMs = 86_400_000
/** Calls in a row that could not begin a run before people hear of it. */
const mostFailures = 3

type Fired = Reply<typeof webhooks.fire>

/** Begins the run that a call asks for. A refusal that counts is returned, not thrown, so that the count is kept. */
export function fire(
  app: App,
  { token, body, web, now }: Call<typeof webhooks.fire>,
  buckets: Buckets,
): Fired | Problem {
  const row = queries(app.db).byHash.get(hashOf(token))
  const secret = row && secretOf(app, row)
  if (!secret || !web) throw problem('not_found', { detail: 'There is no such webhook' })
  const { headers, rawBody: raw } = web.request
  const proof = proofOf({ headers, body: raw }, secret, app.clock())
  if (!row.enabled) throw problem('webhook_disabled', { detail: `The webhook "${row.name}" is disabled` })
  const wait = buckets.take(row.id, row.rate_limit_per_min, 60_000)
  if (wait)
    throw problem('rate_limited', {
      headers: { 'retry-after': String(wait) },
      detail: `This webhook takes ${row.rate_limit_per_min} calls a minute`,
    })
  const keys = keysOf(headers, proof)
  const known = keys.map((key) => queries(app.db).call.get(row.id, key, now)).find((call) => call !== undefined)
  if (known) return { run_id: known.run_id, status: 'DEDUPED', deduped: true }
  const scrub = app.scrub({ workspace_id: row.workspace_id, agent_id: '' }, [secret])
  const said = scrub({ event: body ?? null, raw, headers: headersFor(headers) })
  const started = attempt(app, row, () => begin(app, row, said))
  if (started instanceof Problem) return started
  const { run_id } = started
  const until = wholeSeconds(app.clock() + keptMs)
  for (const key of keys) queries(app.db).remember.run({ webhook: row.id, key, run: run_id, until })
  set(app, row, {
    fire_count: row.fire_count + 1,
    last_fired_at: now,
    last_run_id: run_id,
    last_status: 'PENDING',
    consecutive_failures: 0,
  })
  return { run_id, status: 'PENDING', deduped: false }
}

interface Said {
  event: unknown
  raw: string
  headers: Record<string, string>
}

/** Starts the run: with what the template says, and with those parts of the call that the routine has as inputs. */
function begin(app: App, row: Listed, said: Said): Started {
  const routine = routineById(app, row.workspace_id, row.routine_id)
  if (!routine) throw problem('routine_inactive', { detail: 'The routine was deleted' })
  const { definition } = definitionOf(app, routine, row.version)
  const declared = new Set((definition.inputs ?? []).map(({ name }) => name))
  const parts = Object.entries(said).filter(([name]) => declared.has(name))
  return startRun(app, {
    workspace: row.workspace_id,
    routine,
    version: row.version,
    inputs: { ...Object.fromEntries(parts), ...(renderValue(templateOf(row) ?? {}, { ...said }) as object) },
    event: Object(said.event),
    via: 'webhook',
    by: row.id,
    metadata: { webhook_id: row.id, webhook_name: row.name },
    tags: ['webhook'],
  })
}

function set(app: App, { slug: _, ...row }: Listed, members: Partial<Row>): void {
  queries(app.db).update.run({ ...row, ...members })
}

/** A routine that is busy takes the call later; other refusals are counted, and people hear of the third in a row. */
function attempt(app: App, row: Listed, work: () => Started): Started | Problem {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'routine_busy') throw error
    const consecutive_failures = row.consecutive_failures + 1
    set(app, row, { last_status: 'REFUSED', consecutive_failures })
    if (consecutive_failures === mostFailures) tellFailed(app, row, error.message)
    return error
  }
}

function tellFailed(app: App, { id, workspace_id, name, slug }: Listed, reason: string): void {
  const payload = { webhook_id: id, name, pipeline_slug: slug, consecutive_failures: mostFailures, reason }
  app.journal(fact('webhook.failed', payload, { workspace_id, actor_type: 'system' }))
  const item = {
    kind: 'webhook_fire_failed',
    source: id,
    target: { role: 'MANAGER' },
    title: `The webhook "${name}" cannot begin ${slug}`,
    body: reason,
    priority: 'high',
    payload: { webhook_id: id, pipeline_slug: slug },
  } as const
  raise(app, { ...item, workspace: workspace_id, now: app.now() }, 'upsert')
}

const statusOf = {
  'routine_run.completed': 'COMPLETED',
  'routine_run.failed': 'FAILED',
  'routine_run.cancelled': 'CANCELLED',
} as const

/** Puts the end of the newest run on record. */
export function afterRun(app: App, { name, payload }: Happened<keyof typeof statusOf>): void {
  const { triggered_via, triggered_by_id, run_id } = payload
  if (triggered_via !== 'webhook' || !triggered_by_id) return
  const row = queries(app.db).byId.get(triggered_by_id)
  if (row?.last_run_id === run_id) set(app, row, { last_status: statusOf[name] })
}

export const forgetKeys = (app: App, most: number): number => queries(app.db).forget.all(app.now(), most).length
