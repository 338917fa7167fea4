import type { Static } from 'typebox'
import { type Assignment, type credentials, deliveries } from '#contract/credentials'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { statusOf } from '../rules.ts'
import { findDecided, sees } from '../service.ts'
import { type AgentRef, type GrantRow, queries } from './queries.ts'
import { variableName, variableOfName } from './rules.ts'

function findAgent({ db }: App, workspace: string, agentId: string): AgentRef {
  const row = queries(db).agent.get(workspace, agentId)
  if (!row) throw problem('not_found', { detail: 'There is no such agent' })
  return row
}

export const variableOf = ({ env_var_name, credential_name }: GrantRow): string =>
  env_var_name ?? variableOfName(credential_name)

export const isOver = ({ expires_at }: Pick<GrantRow, 'expires_at'>, now: number): boolean =>
  expires_at !== null && Date.parse(expires_at) <= now

/** What an agent is given by itself and by its crew, by variable, then highest number first. */
export function assigned(
  app: App,
  { actor, agentId }: Call<typeof credentials.assigned>,
): Reply<typeof credentials.assigned> {
  const { id: agent, crew_id: crew } = findAgent(app, actor.workspace, agentId)
  const { explicit, ofCrew } = queries(app.db)
  return [...explicit.all({ agent, crew }), ...(crew ? ofCrew.all({ agent, crew }) : [])]
    .filter((row) => sees(app, actor, { id: row.credential_id, scope: row.scope }))
    .map((row) => toAssignment(app, agent, row))
    .sort(
      (a, b) =>
        compare(a.env_var_name, b.env_var_name) || b.priority - a.priority || compare(a.credential_id, b.credential_id),
    )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function toAssignment(app: App, agentId: string, row: GrantRow): Static<typeof Assignment> {
  return {
    id: row.id,
    agent_id: agentId,
    credential_id: row.credential_id,
    credential_name: row.credential_name,
    credential_type: row.type,
    credential_provider: row.provider,
    credential_status: statusOf(row, app.clock()),
    env_var_name: variableOf(row),
    priority: row.priority,
    created_at: row.created_at,
    ...(row.expires_at && { expires_at: row.expires_at }),
    expired: isOver(row, app.clock()),
    ...(row.lease_source && { lease_source: row.lease_source }),
    ...(row.lease_issued_at && { lease_issued_at: row.lease_issued_at }),
    grant_source: row.source === 'crew' ? 'crew' : 'explicit',
  }
}

export function assign(app: App, { actor, agentId, body, now }: Call<typeof credentials.assign>) {
  const agent = findAgent(app, actor.workspace, agentId)
  if (agent.expired_at !== null) throw problem('agent_expired', { extra: { reason: 'expired', agent_id: agent.id } })
  const credential = findDecided(app, actor, body.credential_id)
  if (
    credential.scope === 'CREW' &&
    !(JSON.parse(credential.crew_ids_json) as string[]).includes(agent.crew_id ?? '')
  ) {
    throw problem('invalid_field', {
      field: 'credential_id',
      detail: `The credential "${credential.name}" is for crews that the agent does not belong to`,
    })
  }
  if (deliveries[credential.type] === 'server')
    throw problem('invalid_field', {
      field: 'credential_id',
      detail: 'Tokens of OAUTH2 reach the server that they were issued for, and no agent',
    })
  const lease = body.ttl_seconds
    ? {
        expires_at: wholeSeconds(app.clock() + body.ttl_seconds * 1000),
        lease_source: 'manual' as const,
        lease_issued_at: now,
      }
    : standing
  const id = newId(app.clock())
  const env_var_name = variableName(body.env_var_name)
  const made = queries(app.db).insert.get({
    id,
    workspace_id: actor.workspace,
    agent_id: agentId,
    credential_id: credential.id,
    env_var_name,
    priority: body.priority ?? 0,
    ...lease,
    created_at: now,
  })
  if (!made)
    throw problem('already_assigned', {
      field: 'credential_id',
      detail: `The agent already has the credential "${credential.name}"`,
    })
  announce(app, actor, 'created', { id, name: credential.name, credential_id: credential.id, env_var_name }, agent)
  return { id }
}

const standing = { expires_at: null, lease_source: null, lease_issued_at: null }

export function unassign(app: App, { actor, agentId, assignmentId }: Call<typeof credentials.unassign>) {
  const agent = findAgent(app, actor.workspace, agentId)
  const row = queries(app.db).find.get(agentId, assignmentId)
  if (!row) throw problem('not_found', { detail: 'There is no such assignment' })
  queries(app.db).remove.run(assignmentId)
  announce(app, actor, 'deleted', row, agent)
  return { success: true }
}

function announce(
  app: App,
  actor: Actor,
  what: 'created' | 'deleted',
  { id, name, ...grant }: { id: string; name: string; credential_id: string; env_var_name: string },
  agent: AgentRef,
): void {
  const payload = { entity_id: id, name, metadata: { ...grant, agent_slug: agent.slug } }
  const about = { workspace_id: agent.workspace_id, crew_id: agent.crew_id ?? undefined, agent_id: agent.id }
  app.journal(fact(`agent_credential.${what}`, payload, { ...about, ...actorOf(actor) }))
}
