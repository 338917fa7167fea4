import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Endpoint } from '#contract/define'
import type { App } from '../app.ts'
import { credentialOf, type Identified, type Unidentified } from '../auth/authenticator.ts'
import { checkBound, isLocalCaller } from '../auth/internal.ts'
import { membershipRow, onlyWorkspace, workspaceOf } from '../auth/membership.ts'
import { actorExpected } from '../auth/standing.ts'
import { authorize, type Operation } from '../dispatch.ts'
import type { Actor } from '../feature.ts'
import { problem } from '../problem.ts'
import { pathOf } from './refusal.ts'

/** The code is the same for every token that is no good; who holds an expired one is told that it was. */
const refusalOf = ({ reason, expired_at }: Unidentified) =>
  problem(reason, expired_at ? { detail: 'The token has expired', extra: { expired_at } } : {})

const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Checks everything that needs no body, before it is read. docs/rules/http.md, "Order of checks". */
export function admit(app: App, { endpoint, gate }: Operation): onRequestHookHandler {
  const bucket = endpoint.rate ?? 'api'
  const isPublic = endpoint.access === 'public'

  function enter(request: FastifyRequest, identified: Identified | null): void {
    const identity = identified && 'identity' in identified ? identified.identity : null
    if (bucket === 'api' && !identity) take(app, 'api', request.address)
    if (!isPublic) {
      if (!identity) throw refusalOf(identified as Unidentified)
      request.actor = {
        type: 'user',
        id: identity.userId,
        email: identity.email,
        workspace: '',
        role: null,
        token: identity.token,
        session: identity.session,
      }
      if (identity.session?.unproven && !endpoint.unproven)
        throw problem('step_up_required', {
          detail: 'This session still needs your second factor: POST /api/v1/auth/step-up',
        })
      if (endpoint.access !== 'signed-in') enterWorkspace(app, endpoint, request, request.actor)
      authorize(app.db, endpoint, actorExpected(app.db, endpoint, request.actor, request.params as object))
    }
    request.admittedAt = app.clock()
    gate?.()
  }

  if (endpoint.access === 'internal') {
    return (request, _reply, done) => {
      request.actor = internalActor(app, request)
      done()
    }
  }

  return (request, _reply, done) => {
    checkOrigin(app, request)
    if (bucket === 'auth') take(app, 'auth', request.address)
    // Public endpoints identify callers only to exempt valid tokens from the general bucket.
    const identified = isPublic && bucket !== 'api' ? null : identify(app, request)
    if (identified instanceof Promise) {
      identified.then((found) => enter(request, found)).then(() => done(), done)
      return
    }
    enter(request, identified)
    done()
  }
}

/** An admission is checked again after this long: rights may be lost while a slow body arrives. */
const admissionMs = 1000

/** Checks the credential and the role again after a body that was slow to arrive. */
export function admitAgain(app: App, { unproven }: Endpoint, { actor, admittedAt }: FastifyRequest): void {
  if (actor?.type !== 'user' || Math.abs(app.clock() - admittedAt) < admissionMs) return
  if (!unproven) requireHeld(app, actor)
  if (actor.workspace) enterAs(app, actor, actor.workspace)
}

/** Refuses a caller whose credential is no longer valid. Changes that issue a new credential check this themselves. */
export function requireHeld({ auth }: App, actor: Actor): void {
  const credential = credentialOf(actor)
  if (credential !== null && !auth.holds(credential))
    throw problem(actor.session ? 'session_revoked' : 'session_invalid')
}

/** Identifies an internal caller. Anybody else gets not_found, as if the path did not exist. */
function internalActor(app: App, { headers, socket, query }: FastifyRequest): Actor {
  const token = headers['x-internal-token']
  if (!isLocalCaller(socket.remoteAddress, headers) || typeof token !== 'string') throw problem('not_found')
  const bound = app.internalTokens.read(token)
  if (!bound) throw problem('internal_token_rejected')
  checkBound(bound, query as object)
  const id = bound.agent ?? bound.crew ?? bound.workspace ?? 'internal'
  return {
    type: bound.agent ? 'agent' : 'system',
    id,
    email: null,
    workspace: bound.workspace ?? '',
    role: null,
    token: null,
    session: null,
    bound,
  }
}

function checkOrigin(app: App, { method, headers, encrypted }: FastifyRequest): void {
  if (changing.has(method) && !app.originRules.acceptsOrigin(headers, encrypted)) throw problem('origin_rejected')
}

function take(app: App, bucket: 'auth' | 'api', ip: string): void {
  const refused = app.limits.take(bucket, ip)
  if (refused) throw refused
}

const identify = (app: App, request: FastifyRequest): Identified | Promise<Identified> =>
  app.auth.identify({
    authorization: request.headers.authorization,
    cookie: request.headers.cookie,
    secure: request.secureCookies,
    remoteAddress: request.address,
    userAgent: request.headers['user-agent'] ?? null,
    path: pathOf(request),
  })

function enterWorkspace(app: App, endpoint: Endpoint, request: FastifyRequest, actor: Actor): void {
  const named = workspaceNamed(endpoint, request)
  enterAs(app, actor, named ?? workspaceImplied(app, endpoint, request, actor))
}

function workspaceNamed({ workspace }: Endpoint, { query, params, headers }: FastifyRequest): string | undefined {
  const { workspace_id: fromQuery } = query as { workspace_id?: unknown }
  const { workspaceId: fromPath } = params as { workspaceId?: string }
  const fromHeader = headers['x-workspace-id']
  // Refuses two values: a proxy or log may read another one than we would.
  if (Array.isArray(fromQuery))
    throw problem('invalid_field', { field: 'workspace_id', detail: 'workspace_id is given more than once' })
  const places = workspace === 'session' ? [fromHeader, fromQuery] : [fromQuery, fromPath, fromHeader]
  return places.find((value): value is string => typeof value === 'string' && value !== '')
}

/** The workspace of a call that names none. A foreign agent or approval is answered like a missing one. */
function workspaceImplied(
  app: App,
  { workspace, unnamed = 'workspace_required' }: Endpoint,
  { params }: FastifyRequest,
  { id: user }: Actor,
): string {
  const { agentId, approvalId } = params as { agentId?: string; approvalId?: string }
  if (workspace === 'agent' || workspace === 'approval') {
    const found = workspaceOf(app.db, workspace, { id: (agentId ?? approvalId)!, user })
    if (!found) throw problem('not_found', { detail: `There is no such ${workspace}` })
    return found
  }
  const only = workspace === 'only' && onlyWorkspace(app.db, user)
  if (only) return only
  throw problem(unnamed, {
    detail: 'Name a workspace by the query parameter workspace_id or the header X-Workspace-ID',
  })
}

function enterAs(app: App, actor: Actor, named: string): void {
  const member = membershipRow(app.db, named, actor.id)
  if (!member) throw problem('not_a_member')
  if (member.barred)
    throw problem('two_factor_required', {
      detail: 'This workspace requires a second factor of its members; set one up: muster account 2fa on',
    })
  actor.workspace = member.workspace_id
  actor.role = member.role
}
