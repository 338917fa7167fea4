import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, type onRequestHookHandler } from 'fastify'
import { type Endpoint, urlOf } from '#contract/define'
import type { App } from './app.ts'
import { membership } from './auth.ts'
import { authorize, dispatch, type Operation } from './dispatch.ts'
import type { Actor } from './feature.ts'
import { newId } from './ids.ts'
import { Problem, problem } from './problem.ts'
import { type Validator, validator } from './validate.ts'
import { version } from './version.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
  }
  interface FastifyContextConfig {
    operation?: Operation
  }
}

export const globalBodyLimit = 16 * 1024 * 1024
const handlerBodyLimit = 1024 * 1024

const headers = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-svc-server-version': version,
}

/** The HTTP side of every operation. Order of checks: host, origin, rate, identity, workspace, role, scope, body. */
export function createServer(app: App, tls?: { cert: string; key: string }): FastifyInstance {
  const http = Fastify({
    ...(tls && { https: tls }),
    bodyLimit: globalBodyLimit,
    requestTimeout: 60_000,
    forceCloseConnections: 'idle',
    genReqId: ({ headers }) => {
      const sent = headers['x-request-id']
      return typeof sent === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : newId(app.clock())
    },
  }) as unknown as FastifyInstance
  http.decorateRequest('actor', null)
  acceptBodies(http)
  const literals = new Map<string, Set<string>>()
  for (const { endpoint } of app.operations.values()) addMethod(literals, urlOf(endpoint), endpoint.method)

  http.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('x-request-id', request.id)
    guardPerimeter(app, request)
    const path = request.url.split('?', 1)[0]!
    const methods = literals.get(path)
    if (methods && !methods.has(request.method) && !(request.method === 'HEAD' && methods.has('GET'))) throw notAllowed(methods)
  })
  http.addHook('onResponse', async (request, reply) => logRequest(app, request, reply))
  http.setErrorHandler((error: FastifyError | Problem, request, reply) => sendProblem(app, error, request, reply))
  http.setNotFoundHandler((request) => {
    const methods = methodsOf(literals, request.url.split('?', 1)[0]!)
    throw methods.size ? notAllowed(methods) : problem('not_found')
  })
  for (const operation of app.operations.values()) addRoute(app, http, operation)
  return http
}

function acceptBodies(http: FastifyInstance): void {
  const parse = http.getDefaultJsonParser('error', 'ignore')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    parse(request, body as string, (error, value) => (error ? done(problem('invalid_json')) : done(null, value)))
  })
  // curl and others say this of a body they were given without a type; JSON is the only thing it can be here.
  http.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    body === '' ? done(null, undefined) : done(problem('unsupported_media_type')),
  )
}

function guardPerimeter(app: App, { headers, socket }: FastifyRequest): void {
  if (socket.remoteAddress && !app.perimeter.acceptsHost(headers.host))
    throw problem('host_rejected', { detail: `This server does not answer to the host "${headers.host ?? ''}"; add it to SVC_ALLOWED_HOSTS` })
  if (Number(headers['content-length'] ?? 0) > globalBodyLimit) throw problem('body_too_large')
}

const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Origin, rate, identity, workspace, role and scope of one endpoint, in the contract's order. */
function admit(app: App, endpoint: Endpoint): onRequestHookHandler {
  const bucket = endpoint.rate ?? 'api'
  return async (request) => {
    const { headers, socket } = request
    const secure = app.perimeter.isSecure(socket.remoteAddress, headers, 'encrypted' in socket)
    if (changing.has(request.method) && !app.perimeter.acceptsOrigin(headers, secure)) {
      throw problem('origin_rejected', { headers: { 'www-authenticate': 'Bearer error="origin_rejected"' } })
    }
    const ip = app.perimeter.clientIp(socket.remoteAddress, headers)
    const strict = bucket === 'auth' ? app.limits.take('auth', ip) : null
    if (strict) throw strict
    const path = request.url.split('?', 1)[0]!
    const identified = app.auth.identify({ authorization: headers.authorization, remoteAddress: ip, userAgent: headers['user-agent'] ?? null, path })
    if (bucket === 'api' && !('identity' in identified)) {
      const refused = app.limits.take('api', ip)
      if (refused) throw refused
    }
    if (endpoint.access === 'public') return
    if (!('identity' in identified)) {
      throw problem(identified.reason, { headers: { 'www-authenticate': `Bearer error="${identified.reason}"` } })
    }
    const { userId, email, token } = identified.identity
    request.actor = { type: 'user', id: userId, email, workspace: '', role: null, token }
    if (endpoint.access !== 'signed-in') enterWorkspace(app, endpoint, request, request.actor)
    authorize(endpoint, request.actor)
  }
}

function enterWorkspace(app: App, { workspace }: Endpoint, request: FastifyRequest, actor: Actor): void {
  const { workspace_id: asked } = request.query as { workspace_id?: unknown }
  const fromQuery = workspace === 'session' ? undefined : asked
  const { workspaceId: fromPath } = request.params as { workspaceId?: string }
  const fromHeader = request.headers['x-workspace-id']
  const named = [fromQuery, fromPath, fromHeader].find((value) => typeof value === 'string' && value !== '') as string | undefined
  if (!named) throw problem('workspace_required', { detail: 'Name a workspace by the query parameter workspace_id or the header X-Workspace-ID' })
  const member = membership(app.db, named, actor.id)
  if (!member) throw problem('not_a_member')
  actor.workspace = member.workspace_id
  actor.role = member.role
}

function addRoute(app: App, http: FastifyInstance, operation: Operation): void {
  const { endpoint } = operation
  const free = endpoint.kind === 'text' || endpoint.kind === 'stream'
  const query = endpoint.query && validator(endpoint.query, 'query')
  const body = endpoint.body && validator(endpoint.body, 'body')
  http.route({
    method: endpoint.method,
    url: urlOf(endpoint),
    bodyLimit: endpoint.bodyLimit ?? handlerBodyLimit,
    config: { operation },
    onRequest: admit(app, endpoint),
    ...(endpoint.reply && !free && { schema: { response: { [endpoint.status]: endpoint.reply } } }),
    handler: async (request, reply) => {
      const input = { ...(request.params as object), ...checked('query', query, request.query), ...checked('body', body, request.body, endpoint.bodyOptional) }
      const web = { ip: app.perimeter.clientIp(request.socket.remoteAddress, request.headers), request, reply }
      const result = await dispatch(app, operation, request.actor, input, web)
      if (reply.sent || endpoint.kind === 'stream') return reply
      if (free) return reply.send(result)
      if (reply.statusCode === 200) reply.code(endpoint.status)
      return reply.send(endpoint.status === 204 ? undefined : (result ?? null))
    },
  })
}

function checked(name: 'query' | 'body', check: Validator | undefined, given: unknown, optional?: true): object {
  if (!check) return {}
  if (optional && given === undefined) return {}
  if (name === 'body' && given === undefined) throw problem('invalid_json', { detail: 'A JSON body is required' })
  const result = check(given)
  if ('problem' in result) throw result.problem
  return { [name]: result.value }
}

function sendProblem(app: App, error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply): void {
  const known = error instanceof Problem ? error : translate(error, request)
  if (!known) app.log.error({ err: error, request_id: request.id, operation: request.routeOptions.config.operation?.name }, 'Request failed')
  const failure = known ?? problem('internal')
  reply
    .code(failure.status)
    .headers(failure.headers)
    .type('application/problem+json')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(failure.toBody(request.url.split('?', 1)[0]!))
}

function translate({ code, statusCode, message }: FastifyError, request: FastifyRequest): Problem | null {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = request.routeOptions.bodyLimit
    return problem('body_over_limit', { detail: `The body is larger than the ${limit} bytes that this endpoint takes` })
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problem('unsupported_media_type')
  if (statusCode && statusCode >= 400 && statusCode < 500) return problem('invalid_json', { detail: message })
  return null
}

const notAllowed = (methods: Set<string>) => problem('method_not_allowed', { headers: { allow: [...methods].sort().join(', ') } })

function addMethod(map: Map<string, Set<string>>, path: string, method: string): void {
  const methods = map.get(path) ?? new Set<string>()
  map.set(path, methods.add(method))
}

/** Methods that some endpoint has for this path, parameters filled in. */
function methodsOf(paths: Map<string, Set<string>>, path: string): Set<string> {
  const found = new Set<string>()
  const parts = path.split('/')
  for (const [known, methods] of paths) {
    const names = known.split('/')
    const fits = names.length === parts.length && names.every((name, index) => (name.startsWith(':') ? parts[index] !== '' : name === parts[index]))
    if (fits) for (const method of methods) found.add(method)
  }
  return found
}

function logRequest(app: App, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config?.operation?.name ?? 'none'
  app.metrics.requests.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
  if (!app.log.isLevelEnabled('debug') && reply.statusCode < 500) return
  app.log.debug({ request_id: request.id, operation, status: reply.statusCode, ms: Math.round(reply.elapsedTime), user: request.actor?.id }, 'Request')
}
