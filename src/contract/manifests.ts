import { Type } from 'typebox'
import { get, post } from './define.ts'
import { nullable } from './fields.ts'

/** Documents of a request, and bytes of all of it. */
export const mostDocuments = 5000
export const manifestBytes = 16 * 1024 * 1024

export const applyModes = ['upsert', 'strict', 'replace'] as const
export const planActions = ['create', 'change', 'destroy'] as const

const free = Type.Record(Type.String(), Type.Unknown())
const anything = Type.Unsafe<unknown>({})

/** One thing that an apply does. */
export const PlanStep = Type.Object({
  action: Type.Enum([...planActions]),
  kind: Type.String(),
  name: Type.String({ description: 'What it is called by: a slug where it has one' }),
  document: nullable(Type.Integer({ description: 'The document that asks for it, from 0; null where none does' })),
  changes: Type.Array(
    Type.Object({ member: Type.String(), from: Type.Optional(anything), to: Type.Optional(anything) }),
    { description: 'Members by their place in the document' },
  ),
})

export const Plan = Type.Object({
  steps: Type.Array(PlanStep),
  created: Type.Integer(),
  changed: Type.Integer(),
  destroyed: Type.Integer(),
  unchanged: Type.Integer(),
  digest: Type.String({ description: 'Stands for this plan: given back, what was shown is what is done' }),
  needs: Type.Array(
    Type.Object({
      env: Type.String(),
      label: nullable(Type.String()),
      help_url: nullable(Type.String()),
      required: Type.Boolean(),
    }),
    { description: 'Credentials that are not there yet, whose values were not given' },
  ),
  warnings: Type.Array(
    Type.Object({
      document: Type.Integer({ description: 'The document that it concerns, from 0' }),
      path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
      detail: Type.String(),
    }),
    { description: 'What an apply would be refused for now, and could pass later: MCP servers that do not answer' },
  ),
  trace_id: nullable(Type.String({ description: 'What its journal entries are found by; null when nothing changed' })),
})

const W = '/workspaces/:workspaceId'

/** A workspace as files. docs/apply.md. */
export const manifests = {
  apply: post(`${W}/apply`, {
    summary: 'Make a workspace what documents say; with dry_run, show the plan',
    access: 'MANAGER',
    scope: 'crews:write',
    stepUp: true,
    status: 200,
    body: Type.Object({
      documents: Type.Array(free, { maxItems: mostDocuments }),
      mode: Type.Optional(
        Type.Enum([...applyModes], {
          description:
            'strict: what is there already must be as the documents say; replace: what they do not name ' +
            'is destroyed, of the kinds that they hold',
        }),
      ),
      delete: Type.Optional(Type.Boolean({ description: 'false: nothing is destroyed' })),
      skip_test_gate: Type.Optional(Type.Boolean({ description: 'Save routines without a test' })),
      values: Type.Optional(
        Type.Record(Type.String({ maxLength: 255 }), Type.String({ maxLength: 65_536 }), {
          description: 'Values of new credentials, by variable; never answered',
        }),
      ),
      digest: Type.Optional(Type.String({ maxLength: 64, description: 'Of the plan that was shown' })),
    }),
    bodyLimit: manifestBytes,
    overLimit: { code: 'body_too_large' },
    reply: Plan,
    journal: [
      'audit.entity_created',
      'audit.entity_updated',
      'audit.entity_deleted',
      'policy.changed',
      'skill.imported',
      'skill.assigned',
      'skill.unassigned',
      'skill.deleted',
      'mission.created',
      'mission.assigned',
      'mission.status_change',
      'run.cancelled',
      'assignment.cancelled',
      'pipeline.run.cancelled',
      'approval.cancelled',
    ],
    throws: [
      'not_found',
      'manifest_invalid',
      'plan_outdated',
      'body_too_large',
      'encryption_unavailable',
      'server_unreachable',
    ],
  }),
  export: get(`${W}/export`, {
    summary: 'Say what a workspace is, as documents that can be applied',
    access: 'MANAGER',
    reply: Type.Object({ documents: Type.Array(free) }),
    throws: ['not_found'],
  }),
  schema: get('/manifest-schema', {
    summary: 'Show what documents may hold, as JSON Schema',
    access: 'signed-in',
    reply: free,
  }),
}
