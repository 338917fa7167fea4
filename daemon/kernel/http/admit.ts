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

/**
 * Origin, rate, identity, workspace, role, scope and the operation's own gate, in the contract's order (part 1, section
 * 1.3), all before a byte of the body is read.
 */
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
          detail: 'This browser has yet to show your second factor: POST /api/v1/auth/step-up',
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
      gate?.()
      done()
    }
  }

  return (request, _reply, done) => {
    checkOrigin(app, request)
    if (bucket === 'auth') take(app, 'auth', request.address)
    // A public endpoint asks for an identity only to spare a valid token the general bucket.
    const identified = isPublic && bucket !== 'api' ? null : identify(app, request)
    if (identified instanceof Promise) {
      identified.then((found) => enter(request, found)).then(() => done(), done)
      return
    }
    enter(request, identified)
    done()
  }
}

/**
 * Milliseconds for which an admission stands. A body that takes longer must not carry rights that were lost meanwhile.
 */
const admissionStands = 1000

/** Asks again about a caller whose body took its time: whether the credential still holds, and the role. */
export function admitAgain(app: App, { unproven }: Endpoint, { actor, admittedAt }: FastifyRequest): void {
  if (actor?.type !== 'user' || Math.abs(app.clock() - admittedAt) < admissionStands) return
  if (!unproven) requireHeld(app, actor)
  if (actor.workspace) enterAs(app, actor, actor.workspace)
}

/**
 * Refuses a caller whose credential holds no more. For changes too that give out another one: it must not outlive the
 * first by a moment.
 */
export function requireHeld({ auth }: App, actor: Actor): void {
  const credential = credentialOf(actor)
  if (credential !== null && !auth.holds(credential))
    throw problem(actor.session ? 'session_revoked' : 'session_invalid')
}

/** For everybody else on the network there is nothing here. */
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
  // Given twice, nobody can say which one a proxy or a log line will take for the one that was meant.
  if (Array.isArray(fromQuery))
    throw problem('invalid_field', { field: 'workspace_id', detail: 'workspace_id is given more than once' })
  const places = workspace === 'session' ? [fromHeader, fromQuery] : [fromQuery, fromPath, fromHeader]
  return places.find((value): value is string => typeof value === 'string' && value !== '')
}

/** The workspace of a call that names none. A foreign agent or approval answers as one that does not exist. */
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
      detail: 'This workspace asks its members for a second factor; set one up: muster account 2fa on',
    })
  actor.workspace = member.workspace_id
  actor.role = member.role
}
