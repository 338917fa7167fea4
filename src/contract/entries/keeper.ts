import { Type } from 'typebox'
import { keeperRequestTypes } from '../keeper-requests.ts'
import { auditOfAll, entry } from './define.ts'
import { named, quoted } from './quote.ts'

const text = Type.String()
const maybe = Type.Optional(text)

const Asked = Type.Object({
  request_id: text,
  request_type: Type.Enum([...keeperRequestTypes]),
  credential_id: maybe,
  credential_name: maybe,
  security_level: Type.Optional(Type.Integer()),
  intent: text,
  task_id: maybe,
  command: maybe,
})

const what = ({ credential_name, request_type }: { credential_name?: string; request_type: string }): string =>
  credential_name ? `credential ${quoted(credential_name)}` : named(request_type.replaceAll('_', ' '))

const said = { ALLOW: 'was allowed', WARN: 'was warned about', DENY: 'was denied', ESCALATE: 'is for people to decide' }

/** How the judge of credentials is set up. docs/keeper.md. */
export const keeperFacts = {
  'keeper.configured': entry(
    'keeper.decision',
    'notice',
    Type.Object({
      rule: Type.Literal('keeper_runtime_config'),
      enabled: Type.Boolean(),
      enabled_source: text,
      endpoint: text,
      endpoint_source: text,
      model: text,
      model_source: text,
      judge_profile: text,
      judge_profile_name: text,
      judge_profile_source: text,
      overridden: Type.Boolean(),
    }),
    ({ enabled, model, judge_profile_name }, { person }) =>
      enabled
        ? `${person} set up the judge of credentials: ${quoted(model || 'no model')}, ${judge_profile_name}`
        : `${person} set up the judge of credentials, which is off`,
  ),
  'keeper.evaluators_set': entry(
    'keeper.decision',
    'notice',
    Type.Object({
      rule: Type.Literal('keeper_aux_config'),
      slots: Type.Record(
        text,
        Type.Object({ provider: text, model: text, timeout_ms: Type.Integer(), credential_id: text }),
      ),
    }),
    ({ slots }, { person }) =>
      Object.keys(slots).length
        ? `${person} set who judges ${Object.keys(slots).join(', ')}`
        : `${person} took back who judges what`,
  ),
  'keeper.request': entry('keeper.request', 'notice', Asked, (it, { actor, agent }) =>
    it.credential_name
      ? `${agent} asks for ${what(it)}: ${quoted(it.intent)}`
      : `${actor} had ${what(it)} judged: ${quoted(it.intent)}`,
  ),
  'keeper.decided': entry(
    'keeper.decision',
    'notice',
    Type.Object({
      ...Asked.properties,
      decision: Type.Enum(['ALLOW', 'WARN', 'DENY', 'ESCALATE']),
      reason: text,
      risk_score: Type.Integer(),
      rule: text,
    }),
    (it, { agent }) => `${what(it)} ${said[it.decision]} for ${agent}: ${quoted(it.reason)}`,
  ),
  'keeper.self_approval': entry(
    'keeper.decision',
    'error',
    Type.Object({
      ...Asked.properties,
      decision: Type.Literal('DENY'),
      reason: text,
      rule: Type.Literal('second_approver'),
      initiator_known: Type.Boolean(),
    }),
    (it, { actor, agent }) => `${actor} may not decide alone about ${what(it)} for ${agent}`,
  ),
  'keeper.requests_cleared': auditOfAll(
    'audit.entity_deleted',
    'keeper_request',
    Type.Object({ deleted: Type.Integer() }),
    ({ metadata }, { actor }) =>
      `${actor} deleted ${metadata.deleted} ${metadata.deleted === 1 ? 'request' : 'requests'} to the judge`,
  ),
  'keeper.governance_set': entry(
    'keeper.decision',
    'notice',
    Type.Object({
      rule: Type.Literal('keeper_governance'),
      changes: Type.Record(text, Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
    }),
    ({ changes }, { person }) => `${person} set what is asked of the judge: ${Object.keys(changes).join(', ')}`,
  ),
}
