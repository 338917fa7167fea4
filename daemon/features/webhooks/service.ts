import { hash, randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { callsPerMinute, mostWebhooks, type Webhook, type webhooks } from '#contract/webhooks'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { cleanName, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { cited, namesOf } from '#kernel/templates'
import { type RoutineRow, routineById, routineBySlug } from '../routines/service.ts'
import { type Listed, queries, type Row } from './queries.ts'

type Shown = Static<typeof Webhook>
type Body = Call<typeof webhooks.update>['body']

export const hashOf = (token: string): string => hash('sha256', token, 'hex')
/** The row that a sealed secret is bound to. */
const rowOf = (id: string) => `routine_webhooks:${id}`

function seal(app: App, id: string, secret: string): string {
  if (app.vault) return app.vault.seal(secret, rowOf(id))
  throw problem('encryption_unavailable', { detail: 'This server has no encryption key to keep a secret with' })
}

/** What calls are signed with; null where the key of this server cannot open it. */
export function secretOf(app: App, { id, secret_enc }: Row): string | null {
  if (!app.vault) return null
  try {
    return app.vault.open(secret_enc, rowOf(id))
  } catch {
    app.log.error({ webhook_id: id }, 'A webhook secret cannot be opened with this encryption key')
    return null
  }
}

function present(row: Listed): Shown {
  const { token_hash, token_end, secret_enc, routine_id, slug, version, inputs_template_json, ...rest } = row
  return {
    ...rest,
    token: `…${token_end}`,
    signing_secret_set: true,
    target_pipeline_id: routine_id,
    target_pipeline_slug: slug,
    target_pipeline_version: version,
    inputs_template: templateOf(row),
    enabled: row.enabled === 1,
  }
}

export const templateOf = ({ inputs_template_json: json }: Row): Record<string, unknown> | null =>
  json === null ? null : (JSON.parse(json) as Record<string, unknown>)

export const list = ({ db }: App, { actor }: Call<typeof webhooks.list>): Shown[] =>
  queries(db).list.all(actor.workspace).map(present)

function find({ db }: App, workspace: string, id: string): Listed {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such webhook' })
  return row
}

export function create(app: App, { actor, body, now }: Call<typeof webhooks.create>): Reply<typeof webhooks.create> {
  const { workspace } = actor
  if (queries(app.db).count.get(workspace)! >= mostWebhooks)
    throw problem('webhooks_full', { detail: `A workspace has at most ${mostWebhooks} webhooks` })
  const routine = targetOf(app, workspace, body)
  if (!routine)
    throw problem('missing_field', { field: 'target_pipeline_slug', detail: 'target_pipeline_slug is required' })
  const id = newId(app.clock())
  const token = randomBytes(32).toString('base64url')
  const signing_secret = secretIn(body) ?? randomBytes(32).toString('hex')
  const row: Row = {
    id,
    workspace_id: workspace,
    name: '',
    token_hash: hashOf(token),
    token_end: token.slice(-4),
    secret_enc: seal(app, id, signing_secret),
    routine_id: routine.id,
    version: null,
    inputs_template_json: null,
    enabled: 1,
    rate_limit_per_min: callsPerMinute,
    fire_count: 0,
    last_fired_at: null,
    last_run_id: null,
    last_status: null,
    consecutive_failures: 0,
    created_at: now,
    updated_at: now,
  }
  queries(app.db).insert.run(merged(app, row, body))
  return { ...present(find(app, workspace, id)), token, signing_secret }
}

/** The routine that a body names; null when it names none. */
function targetOf(app: App, workspace: string, body: Body): RoutineRow | null {
  const { target_pipeline_slug: slug, target_pipeline_id: id } = body
  if (slug === undefined && id === undefined) return null
  const found = slug === undefined ? routineById(app, workspace, id!) : routineBySlug(app, workspace, slug)
  const field = slug === undefined ? 'target_pipeline_id' : 'target_pipeline_slug'
  if (!found) throw problem('not_found', { field, detail: 'There is no such routine' })
  return found
}

const shortestSecret = 16
/** Existing clients send an empty secret where none was chosen. */
function secretIn({ signing_secret: secret }: Body): string | null {
  if (!secret) return null
  if (secret.length >= shortestSecret) return secret
  throw problem('invalid_field', {
    field: 'signing_secret',
    detail: `signing_secret must have at least ${shortestSecret} characters`,
  })
}

const parts = ['event', 'raw', 'headers']
const jsonLimit = 65_536

function templateJson(template: Record<string, unknown> | null): string | null {
  const field = 'inputs_template'
  if (!template || Object.keys(template).length === 0) return null
  const stranger = cited(template).find((path) => !parts.includes(namesOf(path)[0] ?? ''))
  if (stranger !== undefined)
    throw problem('invalid_field', { field, detail: `{{${stranger}}}: templates may cite ${parts.join(', ')}` })
  const json = JSON.stringify(template)
  if (json.length > jsonLimit) throw problem('body_over_limit', { field, detail: `${field} may have 64 KiB as JSON` })
  return json
}

/** A webhook with what a body says of it. */
function merged(app: App, before: Row, body: Body): Row {
  const { name, target_pipeline_version: version, inputs_template: template, enabled } = body
  const isAnew = enabled === true && before.enabled === 0
  return {
    ...before,
    name: name === undefined ? before.name : cleanName('name', name, { min: 1, max: 100, unit: 'characters' }),
    version: version === undefined ? before.version : version,
    inputs_template_json: template === undefined ? before.inputs_template_json : templateJson(template),
    enabled: enabled === undefined ? before.enabled : Number(enabled),
    rate_limit_per_min: body.rate_limit_per_min ?? before.rate_limit_per_min,
    ...(isAnew && { consecutive_failures: 0 }),
    updated_at: app.now(),
  }
}

const changeable = [
  'name',
  'target_pipeline_slug',
  'target_pipeline_id',
  'target_pipeline_version',
  'signing_secret',
  'inputs_template',
  'enabled',
  'rate_limit_per_min',
]

export function update(app: App, { actor, webhookId, body }: Call<typeof webhooks.update>): Shown {
  const { slug: _, ...before } = find(app, actor.workspace, webhookId)
  requireSome(body, changeable)
  const routine = targetOf(app, actor.workspace, body)
  const secret = secretIn(body)
  const row = merged(app, before, body)
  if (routine) row.routine_id = routine.id
  if (secret) row.secret_enc = seal(app, row.id, secret)
  if (row.enabled && !routineById(app, actor.workspace, row.routine_id))
    throw problem('not_found', { field: 'target_pipeline_slug', detail: 'Its routine was deleted: name another one' })
  queries(app.db).update.run(row)
  return present(find(app, actor.workspace, row.id))
}

export function remove(app: App, { actor, webhookId }: Call<typeof webhooks.remove>): undefined {
  const { id, name } = find(app, actor.workspace, webhookId)
  queries(app.db).remove.run(id)
  app.journal(fact('webhook.deleted', { entity_id: id, name }, { workspace_id: actor.workspace, ...actorOf(actor) }))
}

/** A webhook of a deleted routine begins nothing until it names another one. */
export const leaveRoutine = ({ db }: App, { payload }: Happened<'routine.deleted'>): void =>
  void queries(db).stopOfRoutine.run(payload.entity_id)

export const dropAll = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).removeOfWorkspace.run(payload.entity_id)
