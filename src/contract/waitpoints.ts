import { Type } from 'typebox'
import { get, post } from './define.ts'
import { Id, nullable, prose, Time } from './fields.ts'

const maybe = nullable(Type.String())
const Decided = Type.Object({ ok: Type.Boolean(), approved: Type.Boolean() })
const decision = { approved: Type.Boolean(), comment: Type.Optional(prose(4000)) }

/**
 * Work that waits for people, or for a system that holds its token. Tokens are kept as hashes. docs/rules/decisions.md,
 * "Waitpoints".
 */
export const waitpoints = {
  list: get('/workspaces/:workspaceId/pipelines/waitpoints', {
    summary: 'List the work that waits for a decision, newest first, at most 200',
    access: 'VIEWER',
    reply: Type.Array(
      Type.Object({
        id: Id,
        pipeline_run_id: maybe,
        step_id: maybe,
        kind: Type.String(),
        prompt: Type.String(),
        invoking_crew_id: Type.Optional(Id),
        timeout_at: Time,
        created_at: Time,
        token: Type.String({
          description:
            'For those who may decide: whoever has it decides, once. For others the id, which decides nothing',
        }),
        callback_url: Type.Optional(
          Type.String({ description: 'Where the token is shown to decide; to those who may decide' }),
        ),
      }),
    ),
    throws: ['not_found'],
  }),
  approve: post('/workspaces/:workspaceId/pipelines/waitpoints/:token/approve', {
    summary: 'Let waiting work go on, or end it; by id or token',
    access: 'MANAGER',
    scope: 'workspace:admin',
    status: 200,
    body: Type.Object(decision),
    reply: Decided,
    journal: ['approval.granted', 'approval.denied', 'approval.timeout'],
    throws: ['not_found', 'approval_settled'],
  }),
  callback: post('/waitpoint-tokens/:token', {
    summary: 'Let waiting work go on, or end it, by its token alone',
    access: 'public',
    status: 200,
    body: Type.Object({
      ...decision,
      payload: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'What the step gives; at most 64 KiB as JSON' }),
      ),
    }),
    reply: Decided,
    journal: ['approval.granted', 'approval.denied', 'approval.timeout'],
    throws: ['not_found', 'approval_settled', 'body_over_limit'],
  }),
}
