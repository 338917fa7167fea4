import { hash, randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { type Acting, fact } from '#contract/entries'
import {
  exposureQuota,
  exposureSeconds,
  type PortExposure,
  type PortStatus,
  type ports,
  reasonLength,
} from '#contract/ports'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { acting, type Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { queries, type Row, type Target } from './queries.ts'

type Exposing = Call<typeof ports.expose>

/** Inside every crew this port is the sidecar's own. */
const sidecarPort = 9119

const hashOf = (token: string): string => hash('sha256', token)

function present(
  { id, agent_id, agent_slug, container_port, description, status, created_at, expires_at, ...end }: Row,
  now: string,
): Static<typeof PortExposure> {
  return {
    id,
    agent_id,
    agent_slug,
    container_port,
    ...(description && { description }),
    status: status === 'ACTIVE' && expires_at <= now ? 'EXPIRED' : status,
    created_at,
    expires_at,
    ...(end.revoked_at && { revoked_at: end.revoked_at }),
    ...(end.revoked_reason && { revoked_reason: end.revoked_reason }),
  }
}

const isCrew = (app: App, workspace: string, crew: string): void => {
  if (!queries(app.db).crew.get(workspace, crew))
    throw problem('not_found', { field: 'crewId', detail: 'There is no such crew' })
}

export function list(app: App, { actor, crewId, query, now }: Call<typeof ports.list>): Static<typeof PortExposure>[] {
  isCrew(app, actor.workspace, crewId)
  const asked = query.status ?? 'active'
  const status = asked === 'all' ? null : (asked.toUpperCase() as PortStatus)
  const { limit, offset } = pageOf(query, { fallback: 500 })
  return queries(app.db)
    .list.all({ workspace: actor.workspace, crew: crewId, status, now, limit, offset })
    .map((row) => present(row, now))
}

/** Before the transaction: is there a container behind the port, and is it this crew's? */
export async function reach(app: App, { body }: Exposing): Promise<void> {
  if (!app.exposedUrl)
    throw problem('unavailable', {
      detail: 'This server does not know its own address: its operator can set SVC_PUBLIC_URL or SVC_EXPOSED_HOST',
    })
  if (body.port === sidecarPort)
    throw problem('invalid_field', { field: 'port', detail: `Port ${sidecarPort} is the sidecar's` })
  if (!queries(app.db).member.get(body.workspace_id, body.crew_id, body.agent_id))
    throw problem('outside_crew', { field: 'agent_id' })
  if (body.chat_id && !queries(app.db).chat.get(body.chat_id, body.agent_id))
    throw problem('outside_crew', { field: 'chat_id' })
  const status = await app.runtime.status(body.crew_id)
  if (status.state !== 'running')
    throw problem('container_unreachable', {
      detail: `The crew's container is not running${status.error ? `: ${status.error}` : ''}`,
    })
  if (status.containerId !== body.container_id) throw problem('outside_crew', { field: 'container_id' })
}

const lifeOf = (seconds: number | null | undefined): number =>
  Math.min(exposureSeconds.most, Math.max(1, seconds || exposureSeconds.usual))

export function expose(app: App, { actor, body, now }: Exposing): Reply<typeof ports.expose> {
  const token = randomBytes(32).toString('base64url')
  const known = body.call_id ? queries(app.db).ofCall.get(body.call_id) : undefined
  const row = known ? renew(app, known, body, hashOf(token), now) : open(app, body, hashOf(token), now)
  const url = `${app.exposedUrl!.replace(/\/+$/, '')}/exposed/${token}/`
  const { id, workspace_id, crew_id, agent_id, agent_slug, container_port, description, expires_at } = row
  const opened = {
    port: container_port,
    protocol: 'http',
    container_id: row.container_id,
    source: 'expose',
    exposure_id: id,
    expires_at,
    ...(description && { description }),
  } as const
  const refs = { exposure_id: id }
  app.journal(fact('network.port_opened', opened, { workspace_id, crew_id, agent_id, ...actorOf(actor), refs }))
  const told = { id, agent_id, agent_slug, crew_id, ...(description && { description }), url, expires_at }
  app.broadcast({ channel: `workspace:${workspace_id}`, type: 'port_expose.created', payload: told })
  if (row.chat_id) app.broadcast({ channel: `session:${row.chat_id}`, type: 'port_expose_created', payload: told })
  return { id, token, url, expires_at }
}

function open(app: App, body: Exposing['body'], tokenHash: string, now: string): Row {
  const id = newId(app.clock())
  const made = queries(app.db).open.get({
    id,
    workspace: body.workspace_id,
    crew: body.crew_id,
    agent: body.agent_id,
    chat: body.chat_id ?? null,
    call: body.call_id ?? null,
    container: body.container_id,
    port: body.port,
    description: body.description?.trim() || null,
    hash: tokenHash,
    now,
    expires: new Date(Date.parse(now) + lifeOf(body.ttl_seconds) * 1000).toISOString().replace('.000Z', 'Z'),
    ofAgent: exposureQuota.agent,
    ofWorkspace: exposureQuota.workspace,
  })
  if (made) return queries(app.db).find.get(id)!
  if (!queries(app.db).member.get(body.workspace_id, body.crew_id, body.agent_id))
    throw problem('outside_crew', { field: 'agent_id' })
  const { agent, workspace } = exposureQuota
  throw problem('exposure_quota', {
    detail:
      `An agent may have ${agent} ports open at a time, a workspace ${workspace}. ` +
      'Wait until one ends, or have one revoked',
  })
}

/** A call that is repeated has lost its answer, and the token in it: the exposure gets another token. */
function renew(app: App, known: Row, body: Exposing['body'], tokenHash: string, now: string): Row {
  if (known.agent_id !== body.agent_id) throw problem('outside_crew', { field: 'call_id' })
  if (!queries(app.db).renew.get({ id: known.id, hash: tokenHash, now })) throw problem('exposure_ended')
  return known
}

export function revoke(
  app: App,
  { actor, crewId, exposureId, body, now }: Call<typeof ports.revoke>,
): Reply<typeof ports.revoke> {
  isCrew(app, actor.workspace, crewId)
  const reason = body?.reason?.trim() || null
  if (reason && reason.length > reasonLength)
    throw problem('invalid_field', { field: 'reason', detail: `reason must have at most ${reasonLength} characters` })
  const done = queries(app.db).revoke.get({
    id: exposureId,
    workspace: actor.workspace,
    crew: crewId,
    by: actor.id,
    reason,
    now,
  })
  if (!done)
    throw problem('exposure_ended', {
      field: 'exposureId',
      detail: 'There is no such open port: it was revoked, or its time is over',
    })
  closed(app, done.id, 'revoked', actorOf(actor))
  return { status: 'revoked' }
}

/** What an agent opened is closed with it. */
export function revokeOfAgent(app: App, { payload, about }: Happened<'agent.deleted' | 'agent.expired'>): void {
  const rows = queries(app.db).revokeOfAgent.all({ agent: payload.entity_id, ...ending(app, about), reason: deleted })
  for (const { id } of rows) closed(app, id, 'revoked', acting(about))
}

/** What an agent opened is closed when the agent is in another crew now, or in none. */
export function revokeOutside(app: App, { payload, about }: Happened<'agent.updated'>): void {
  const rows = queries(app.db).revokeOutside.all({ agent: payload.entity_id, ...ending(app, about), reason: left })
  for (const { id } of rows) closed(app, id, 'revoked', acting(about))
}

const deleted = 'the agent was deleted'
const left = 'the agent has left the crew'

const ending = (app: App, { actor_type, actor_id }: Acting) => ({
  by: actor_type === 'user' && actor_id ? actor_id : null,
  now: app.now(),
})

/** Marks expired exposures. */
export function expireDue(app: App): void {
  for (const { id } of queries(app.db).expire.all(app.now())) closed(app, id, 'expired', actorOf(null))
}

/** When the next exposure ends; null when none is open. */
export const nextExpiry = ({ db }: App): string | null => queries(db).next.get()?.expires_at ?? null

/** Whether somebody may come in to this crew at any moment. */
export const isExposed = (app: App, crewId: string): boolean =>
  queries(app.db).ofCrew.get(crewId, app.now()) !== undefined

/** Whether an agent shows something to people: what it left running for that goes on. */
export const isShowing = (app: App, agentId: string): boolean =>
  queries(app.db).ofAgent.get(agentId, app.now()) !== undefined

/** Whom a capability URL leads to: null for none that is known, or that was revoked. */
export function targetOf(app: App, token: string): Target | 'expired' | null {
  const row = /^[A-Za-z0-9_-]{43}$/.test(token) ? queries(app.db).byHash.get(hashOf(token)) : undefined
  if (!row || row.status === 'REVOKED' || row.status === 'PENDING') return null
  return row.status === 'EXPIRED' || Date.parse(row.expires_at) <= app.clock() ? 'expired' : row
}

function closed(app: App, id: string, how: 'revoked' | 'expired', by: Acting): void {
  const row = queries(app.db).find.get(id)!
  const { workspace_id, crew_id, agent_id, container_id, container_port, revoked_reason } = row
  const payload = {
    port: container_port,
    protocol: 'http',
    container_id,
    source: how,
    exposure_id: id,
    ...(revoked_reason && { reason: revoked_reason }),
  } as const
  const refs = { exposure_id: id }
  app.journal(fact('network.port_closed', payload, { workspace_id, crew_id, agent_id, ...by, refs }))
  if (how === 'revoked')
    app.broadcast({
      channel: `workspace:${workspace_id}`,
      type: 'port_expose.revoked',
      payload: { id, crew_id, ...(revoked_reason && { reason: revoked_reason }) },
    })
}
