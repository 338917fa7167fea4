import { deliveries } from '#contract/credentials'
import { fact } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { sweepRegularly } from '#kernel/jobs/sweep'
import { bySystem } from '#kernel/journal/about-user'
import { type GrantRow, queries as grants } from '../assignments/queries.ts'
import { isOver, variableOf } from '../assignments/service.ts'
import { note } from '../audit/service.ts'
import { tierOf } from '../levels/service.ts'
import { queries as credentialQueries } from '../queries.ts'
import { statusOf } from '../rules.ts'
import { countHanded, isEnforced } from '../scopes/service.ts'
import { openValue } from '../values.ts'
import { queries } from './queries.ts'

/** A credential that an agent may ask for. */
export interface Askable {
  id: string
  name: string
  description: string | null
  level: number
  /** The variable by which the agent knows it. */
  variable: string
  /** Somebody assigned it to this agent, and not only to its crew. */
  bound: boolean
  /** It may be used for its scopes alone, so people decide whether its value is handed out. */
  scoped: boolean
  /** When what the agent has of it ends. */
  until: string | null
}

const asksFor = (row: GrantRow, { id, name }: { id?: string | undefined; name?: string | undefined }): boolean =>
  id !== undefined ? row.credential_id === id : variableOf(row) === name?.toUpperCase() || row.credential_name === name

/** What an agent may ask for under this id or name; null where it reaches none that works and can be handed out. */
export function askable(
  app: App,
  agentId: string,
  wanted: { id?: string | undefined; name?: string | undefined },
): Askable | null {
  const row = reach(app, agentId).find((it) => asksFor(it, wanted))
  const stored = row && credentialQueries(app.db).find.get(workspaceOf(app, agentId)!, row.credential_id)
  if (!row || !stored) return null
  return {
    id: row.credential_id,
    name: row.credential_name,
    description: stored.description,
    level: row.security_level,
    variable: variableOf(row),
    bound: row.source === 'explicit' && row.by_lease === 0,
    scoped: isEnforced(app, row.credential_id),
    until: row.expires_at,
  }
}

/** A credential of the same provider at a lower level that the agent reaches too; null without one. */
export function narrowerThan(app: App, agentId: string, credentialId: string): { name: string; level: number } | null {
  const all = reach(app, agentId)
  const wanted = all.find((it) => it.credential_id === credentialId)
  if (!wanted || wanted.provider === 'NONE') return null
  const [found] = all
    .filter((it) => it.provider === wanted.provider && it.security_level < wanted.security_level)
    .sort((a, b) => a.security_level - b.security_level)
  return found ? { name: found.credential_name, level: found.security_level } : null
}

const workspaceOf = ({ db }: App, agentId: string) => grants(db).agentById.get(agentId)?.workspace_id

/** What an agent reaches by itself and by its crew, the lease on it over or not. */
function reach(app: App, agentId: string): GrantRow[] {
  const agent = grants(app.db).agentById.get(agentId)
  if (!agent || agent.expired_at !== null) return []
  const { id, crew_id: crew } = agent
  const now = app.clock()
  return [
    ...grants(app.db).explicit.all({ agent: id, crew }),
    ...(crew ? grants(app.db).ofCrew.all({ agent: id, crew }) : []),
  ].filter(
    (row) =>
      row.in_reach &&
      deliveries[row.type] === 'file' &&
      statusOf(row, now) === 'ACTIVE' &&
      !(row.lease_source === 'manual' && isOver(row, now)) &&
      !(row.given_until !== null && Date.parse(row.given_until) <= now),
  )
}

/** The value that an agent asked for; null when it is gone meanwhile, or this server's key does not open it. */
export function valueAskedFor(app: App, agentId: string, credentialId: string): string | null {
  const row = reach(app, agentId).find((it) => it.credential_id === credentialId)
  return row ? openValue(app, { id: row.credential_id, encrypted_value: row.encrypted_value }) : null
}

/** Variables of what this agent may have only while a lease goes on, and has none of now. */
export const heldBack = (app: App, agentId: string): string[] =>
  reach(app, agentId)
    .filter(
      (row) => !(tierOf(row.security_level).delivered && !isEnforced(app, row.credential_id)) && !isLeased(app, row),
    )
    .map(variableOf)

/** Whether an agent reaches something that is kept to its scopes, and which it may have been given before. */
export const reachesScoped = (app: App, agentId: string): boolean =>
  reach(app, agentId).some(({ credential_id }) => isEnforced(app, credential_id))

const isLeased = (app: App, row: GrantRow): boolean =>
  row.lease_source !== null && row.lease_source !== 'manual' && !isOver(row, app.clock())

interface Issued {
  workspace: string
  crew: string | null
  agent: string
  credential: Pick<Askable, 'id' | 'name' | 'variable'>
  seconds: number
  /** Null for the judge. */
  by: Actor | null
  now: string
}

/** Gives a credential to an agent for a while, and answers until when. */
export function issueLease(app: App, { workspace, crew, agent, credential, seconds, by, now }: Issued): string {
  const lease_source = by ? 'escalation_approve' : 'keeper_allow'
  const issued = queries(app.db).issue.get({
    id: newId(app.clock()),
    workspace_id: workspace,
    agent_id: agent,
    credential_id: credential.id,
    env_var_name: credential.variable,
    expires_at: wholeSeconds(app.clock() + seconds * 1000),
    lease_source,
    lease_issued_at: now,
  })
  const expires_at = issued!.expires_at!
  const payload = { credential_id: credential.id, credential_name: credential.name, lease_source, expires_at } as const
  const about = { workspace_id: workspace, ...(crew && { crew_id: crew }), agent_id: agent }
  const actor = by ? actorOf(by) : ({ actor_type: 'keeper' } as const)
  app.journal(fact('credential.lease_issued', payload, { ...about, ...actor }))
  return expires_at
}

/** Records that an agent was given a value that it asked for. */
export function noteAskedFor(app: App, credentialId: string, detail: { agent_id: string; request_id: string }): void {
  credentialQueries(app.db).setUsed.run(app.now(), credentialId)
  note(app, credentialId, 'USE', actorOf(null), detail)
  countHanded(app, [credentialId])
}

/** Ends at most so many leases whose time is over; returns how many. */
export function endLeases(app: App, most: number): number {
  const over = queries(app.db).ended.all(app.now(), most)
  for (const { id, workspace_id, crew_id, agent_id, credential_id, credential_name, by_lease } of over) {
    queries(app.db)[by_lease ? 'drop' : 'restore'].run(id)
    const about = { workspace_id, ...(crew_id && { crew_id }), agent_id, ...bySystem }
    app.journal(fact('credential.lease_ended', { credential_id, credential_name }, about))
  }
  return over.length
}

export const watchLeases = (app: App): { close(): void } =>
  sweepRegularly(app, {
    everyMs: 10_000,
    batch: 200,
    sweep: (most) => endLeases(app, most),
    failure: 'Leases that are over could not be ended',
  })
