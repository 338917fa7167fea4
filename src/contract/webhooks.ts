import { Type } from 'typebox'
import { del, get, patch, post } from './define.ts'
import { Id, line, nullable, Time } from './fields.ts'
import { startRefusals } from './routine-starts.ts'

/** The most webhooks of a workspace, and calls of one a minute unless stated. */
export const [mostWebhooks, callsPerMinute] = [1000, 600]

const text = nullable(Type.String())
const template = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Inputs of the run, as templates over event, raw and headers',
})

const shown = {
  id: Id,
  workspace_id: Id,
  name: Type.String(),
  token: Type.String({ description: 'Its last four characters; the whole is shown when it is created' }),
  signing_secret_set: Type.Literal(true),
  target_pipeline_id: Id,
  target_pipeline_slug: Type.String(),
  target_pipeline_version: nullable(Type.Integer({ description: 'null: the active one' })),
  inputs_template: nullable(template),
  enabled: Type.Boolean(),
  rate_limit_per_min: Type.Integer(),
  fire_count: Type.Integer({ description: 'Calls that began a run' }),
  last_fired_at: nullable(Time),
  last_run_id: text,
  last_status: nullable(
    Type.Enum(['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUSED'], { description: 'PENDING: its run goes on' }),
  ),
  consecutive_failures: Type.Integer({ description: 'Calls in a row whose run could not begin' }),
  created_at: Time,
  updated_at: Time,
}

/** What begins a routine when another program calls it. docs/webhooks.md. */
export const Webhook = Type.Object(shown)

const members = {
  target_pipeline_slug: Type.Optional(Type.String({ maxLength: 64 })),
  target_pipeline_id: Type.Optional(Type.String({ maxLength: 64, description: 'Instead of the slug' })),
  target_pipeline_version: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
  signing_secret: Type.Optional(
    nullable(Type.String({ maxLength: 256, description: 'At least 16 characters; 32 random bytes unless stated' })),
  ),
  inputs_template: Type.Optional(nullable(template)),
  enabled: Type.Optional(Type.Boolean({ description: 'true unless stated' })),
  rate_limit_per_min: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: '600 unless stated' })),
}

const changing = { access: 'MANAGER', scope: 'webhooks:write' } as const
const W = '/workspaces/:workspaceId'
const at = `${W}/pipeline-webhooks/:webhookId` as const

export const webhooks = {
  list: get(`${W}/pipeline-webhooks`, {
    summary: 'List webhooks of routines',
    access: 'MANAGER',
    reply: Type.Array(Webhook),
    throws: ['not_found'],
  }),
  create: post(`${W}/pipeline-webhooks`, {
    summary: 'Create a webhook for a routine',
    ...changing,
    body: Type.Object({ name: line(100), ...members }),
    reply: Type.Object({
      ...shown,
      token: Type.String({ description: 'Shown this once: calls go to /api/v1/webhooks/<token>' }),
      signing_secret: Type.String({ description: 'Shown this once' }),
    }),
    secrets: ['token', 'signing_secret'],
    journal: ['audit.entity_created'],
    entity: 'webhook',
    throws: ['not_found', 'missing_field', 'webhooks_full', 'body_over_limit', 'encryption_unavailable'],
  }),
  update: patch(at, {
    summary: 'Change a webhook',
    ...changing,
    body: Type.Object({ name: Type.Optional(line(100)), ...members }),
    reply: Webhook,
    secrets: ['token'],
    journal: ['audit.entity_updated'],
    entity: 'webhook',
    throws: ['not_found', 'no_fields', 'body_over_limit', 'encryption_unavailable'],
  }),
  remove: del(at, {
    summary: 'Delete a webhook; its token is refused from then on',
    ...changing,
    journal: ['audit.entity_deleted'],
    throws: ['not_found'],
  }),
  fire: post('/webhooks/:token', {
    summary: 'Begin a routine, as another program that knows its token and signs with its secret',
    access: 'public',
    status: 202,
    raw: true,
    overLimit: { code: 'body_too_large' },
    body: Type.Unknown(),
    bodyOptional: true,
    reply: Type.Object({
      run_id: Id,
      status: Type.Enum(['PENDING', 'DEDUPED']),
      deduped: Type.Boolean({ description: 'The call came before: this is its run' }),
    }),
    journal: ['pipeline.run.started', 'webhook.failed'],
    noDryRun: 'whoever calls it is a program, which would be told that its call was accepted',
    throws: ['not_found', 'webhook_unsigned', 'webhook_disabled', ...startRefusals, 'chain_too_deep'],
  }),
}
