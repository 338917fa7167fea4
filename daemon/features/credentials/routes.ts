import { credentials, defaultVariables } from '#contract/credentials'
import type { Reply } from '#contract/define'
import { feature, staged } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { providerOf } from '../../providers/index.ts'
import { assign, assigned, unassign } from './assignments/service.ts'
import { auditOf } from './audit/service.ts'
import { watchEnds } from './expiry/service.ts'
import { giveApproved, giveHired, giveRehired } from './hired/service.ts'
import { eraseOldValues, forgetCredentialAudit } from './jobs.ts'
import { watchLeases } from './leases/service.ts'
import { isTestable } from './probes/rules.ts'
import { check, recordTest, testStored } from './probes/service.ts'
import { queries } from './queries.ts'
import { queries as rotationQueries } from './rotations/queries.ts'
import { cancelRotation, replaceValue, toRotation } from './rotations/service.ts'
import {
  createCredential,
  dropAgent,
  dropCrew,
  findCredential,
  findDecided,
  removeCredential,
  removeWorkspaceCredentials,
  seesAll,
  toCredential,
  updateCredential,
} from './service.ts'

/** The facts that record what a hired agent is given. */
const given = ['agent_credential.created', 'credential.auto_assign_failed', 'credential.auto_assign_empty'] as const

export default feature(
  credentials,
  (app) => ({
    list: ({ actor, query }) =>
      queries(app.db)
        .list.all({ workspace: actor.workspace, user: actor.id, everything: seesAll(actor) ? 1 : 0, ...pageOf(query) })
        .map((row) => toCredential(app, row)),
    create: (call) => createCredential(app, call),
    show: ({ actor, credentialId }) => toCredential(app, findCredential(app, actor, credentialId)),
    update: (call) => updateCredential(app, call),
    replace: (call) => updateCredential(app, call),
    remove: (call) => removeCredential(app, call),
    check: (call) => check(app, call),
    test: staged(
      (call) => testStored(app, call),
      (call, tested) => recordTest(app, call, tested),
    ),
    rotate: ({ actor, credentialId, body }) => {
      const row = findDecided(app, actor, credentialId)
      return toRotation(app, replaceValue(app, actor, row, body.value, body.grace_seconds ?? 86_400))
    },
    rotations: ({ actor, credentialId, query }) => {
      const { id } = findCredential(app, actor, credentialId)
      const { limit, offset } = pageOf(query)
      return rotationQueries(app.db)
        .list.all(id, limit, offset)
        .map((row) => toRotation(app, row))
    },
    cancel: (call) => cancelRotation(app, call, (credentialId) => findCredential(app, call.actor, credentialId)),
    audit: ({ actor, credentialId, query }) =>
      auditOf(app, findCredential(app, actor, credentialId).id, pageOf(query, { fallback: 50 }).limit),
    variable: ({ query }) => variableOfProvider(query),
    assigned: (call) => assigned(app, call),
    assign: (call) => assign(app, call),
    unassign: (call) => unassign(app, call),
  }),
  {
    on: {
      'agent.hired': { writes: given, run: giveHired },
      'agent.rehired': { writes: given, run: giveRehired },
      'agent.hire_approved': { writes: given, run: giveApproved },
      'agent.hire_denied': dropAgent,
      'agent.expired': dropAgent,
      'agent.deleted': dropAgent,
      'crew.deleted': dropCrew,
      'workspace.deleted': removeWorkspaceCredentials,
    },
    jobs: [eraseOldValues, forgetCredentialAudit, watchEnds, watchLeases],
  },
)

function variableOfProvider({
  provider: given,
  type,
}: {
  provider: string
  type?: string
}): Reply<typeof credentials.variable> {
  const provider = Object.keys(defaultVariables).find((known) => known.toLowerCase() === given.toLowerCase()) as
    | keyof typeof defaultVariables
    | undefined
  if (!provider)
    throw problem('invalid_field', {
      field: 'provider',
      detail: `provider must be one of ${Object.keys(defaultVariables).join(', ')}`,
    })
  const login = type?.toUpperCase() === 'AI_CLI_TOKEN' ? providerOf(provider)?.loginVariable : undefined
  const env_var = login ?? defaultVariables[provider]
  return { provider, env_var, env_var_name: env_var, testable: isTestable(provider) }
}
