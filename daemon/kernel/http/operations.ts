import { type IncomingMessage, METHODS } from 'node:http'
import { Socket } from 'node:net'
import stringifier, { type Schema } from 'fast-json-stringify'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySerializerCompiler,
  type HTTPMethods,
  type onRequestHookHandler,
} from 'fastify'
import { statusOf, urlOf } from '#contract/define'
import { isReserved } from '#contract/reserved'
import { receive } from '../agents/calls.ts'
import type { App } from '../app.ts'
import { ConfigError } from '../config.ts'
import { dispatch, type Operation, tryOut } from '../dispatch.ts'
import type { Actor } from '../feature.ts'
import { createRequestIds } from '../ids.ts'
import { type Problem, problem } from '../problem.ts'
import { settings } from '../settings.ts'
import { admit, admitAgain } from './admit.ts'
import { dryRunAsked, sendDryRun } from './dry-run.ts'
import { createMethods, type Methods } from './methods.ts'
import { fixedHeaders, pathOf, refuseConnection, sendProblem } from './refusal.ts'
import { type Validator, validator } from './validate.ts'
import { createWebServer, type TlsFiles } from './web-server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
    /** The client's address, as the proxies in between say. */
    address: string
    /** The client came over TLS, as the proxies in between say. */
    encrypted: boolean
    /** When the caller was let in, milliseconds since 1970. */
    admittedAt: number
    /** Cookies are named and marked as on HTTPS. */
    secureCookies: boolean
  }
  interface FastifyContextConfig {
    operation?: Operation
    /** Passed on as it is. */
    exposed?: boolean
  }
}

const globalBodyLimit = 16 * 1024 * 1024
const handlerBodyLimit = 1024 * 1024
const bodyMs = 60_000
const exposedPath = /^\/exposed\//
const exposedRoute = '/exposed'

/**
 * The HTTP side of every operation. Order of checks: host, method, origin, rate, identity, workspace, role, scope,
 * body.
 */
export function createServer(app: App, tls?: TlsFiles): FastifyInstance {
  const requestId = createRequestIds()
  const http = Fastify({
    serverFactory: (handle) => createWebServer(app.config, handle, tls),
    bodyLimit: globalBodyLimit,
    rewriteUrl: ({ url = '/' }) => (exposedPath.test(url) ? exposedRoute : url),
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    genReqId: ({ headers }) => {
      const sent = headers['x-request-id']
      return typeof sent === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : requestId()
    },
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, request, reply) => sendProblem(app, error, request as unknown as FastifyRequest, reply),
  }) as unknown as FastifyInstance
  const operations = withAliases(app)
  const methods = createMethods(operations.map(({ endpoint }) => endpoint))
  http.decorateRequest('actor', null)
  http.decorateRequest('address', '')
  http.decorateRequest('admittedAt', 0)
  http.decorateRequest('encrypted', false)
  http.decorateRequest('secureCookies', false)
  http.setSerializerCompiler(compileLater)
  acceptBodies(http)

  // Hooks that do not wait are no promises: they run for every request.
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers(fixedHeaders).header('x-request-id', request.id)
    checkHostAndSize(app, request)
    const { socket, headers } = request
    request.address = app.originRules.clientIp(socket.remoteAddress, headers)
    request.encrypted = app.originRules.isSecure(socket.remoteAddress, headers, 'encrypted' in socket)
    request.secureCookies = request.encrypted || app.config.forceSecureCookies
    // What is passed on to a crew may take its time.
    if (!request.routeOptions.config.exposed) expectBody(request.raw)
    done()
  })
  http.addHook('onResponse', (request, reply, done) => {
    logRequest(app, request, reply)
    done()
  })
  http.setErrorHandler((error: FastifyError | Problem, request, reply) => sendProblem(app, error, request, reply))
  http.setNotFoundHandler((request) => {
    const path = pathOf(request)
    // Nobody learns which internal addresses there are.
    if (path.startsWith('/api/v1/internal/')) throw problem('not_found')
    throw (
      (path.startsWith('/api/') && app.limits.take('api', request.address)) ||
      (!isReserved(path) && methods.refuse(path)) ||
      problem('not_found')
    )
  })
  for (const operation of operations) addRoute(app, http, operation, methods)
  addExposed(app, http)
  return http
}

/** Every operation, and those that answer under other names as well once more for each of these. */
function withAliases({ operations, config }: App): Operation[] {
  const all = [...operations.values()]
  const taken = new Set(all.map(({ endpoint }) => urlOf(endpoint).split('/')[3]))
  const others = all.flatMap((operation) => {
    const { aliases, path } = operation.endpoint
    return (aliases ? config[aliases] : []).map((name) => {
      if (taken.has(name))
        throw new ConfigError(`${settings[aliases!].path} has "${name}", which is an address of this API already`)
      return { ...operation, endpoint: { ...operation.endpoint, path: path.replace(/[^/]+$/, name) } }
    })
  })
  return [...all, ...others]
}

/**
 * Capability URLs take every method and every path: the router sees one address, and none of its rules for bodies
 * applies.
 */
function addExposed(app: App, http: FastifyInstance): void {
  const known = new Set(http.supportedMethods)
  for (const method of METHODS)
    if (!known.has(method) && method !== 'CONNECT') http.addHttpMethod(method, { hasBody: true })
  http.route({
    method: METHODS.filter((method) => method !== 'CONNECT') as HTTPMethods[],
    url: exposedRoute,
    config: { exposed: true },
    onRequest(request, reply, done) {
      if (!app.exposed) return done(problem('not_found'))
      request.raw.url = request.originalUrl
      reply.hijack()
      app.exposed(request.raw, reply.raw)
    },
    handler: () => undefined,
  })
}

/** A body that has not arrived in time is given up, and its connection with it. */
function expectBody(raw: IncomingMessage): void {
  if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return
  const late = setTimeout(() => {
    if (!raw.complete && raw.socket instanceof Socket)
      refuseConnection({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket)
  }, bodyMs).unref()
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(late))
}

/**
 * Answers are written by code made from their schema, so nothing undeclared leaves; made on first use, so that starting
 * is quick.
 */
const compileLater: FastifySerializerCompiler<Schema> = ({ schema }) => {
  let write: ((value: unknown) => string) | undefined
  return (value) => {
    write ??= stringifier(schema)
    return write(value)
  }
}

function acceptBodies(http: FastifyInstance): void {
  const parse = http.getDefaultJsonParser('error', 'ignore')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    const malformed = request.routeOptions.config.operation?.endpoint.malformed
    parse(request, body as string, (error, value) => {
      if (!error) done(null, value)
      else if (malformed === 'ignore') done(null, undefined)
      else done(problem(malformed ?? 'invalid_json'))
    })
  })
  // curl and others say this of a body they were given without a type; where no form is meant, JSON is the only thing
  // it can be.
  http.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    if (!request.routeOptions.config.operation?.endpoint.form) return done(problem('unsupported_media_type'))
    done(null, Object.fromEntries(new URLSearchParams(body as string)))
  })
  http.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (request, body, done) =>
    request.routeOptions.config.operation?.endpoint.upload ? done(null, body) : done(problem('unsupported_media_type')),
  )
}

function checkHostAndSize(app: App, { headers, socket, routeOptions }: FastifyRequest): void {
  if (socket.remoteAddress && !app.originRules.acceptsHost(headers.host))
    throw problem('host_rejected', {
      detail: `This server does not answer to the host "${headers.host ?? ''}"; add it to SVC_ALLOWED_HOSTS`,
    })
  if (routeOptions.config.exposed) return
  const largest = Math.max(globalBodyLimit, routeOptions.config.operation?.endpoint.bodyLimit ?? 0)
  if (Number(headers['content-length'] ?? 0) > largest) throw problem('body_too_large')
}

function addRoute(app: App, http: FastifyInstance, operation: Operation, methods: Methods): void {
  const { endpoint } = operation
  const free = endpoint.kind === 'text' || endpoint.kind === 'stream'
  const query = endpoint.query && validator(endpoint.query, 'query')
  const body = endpoint.body && validator(endpoint.body, 'body')
  http.route({
    method: endpoint.method,
    url: urlOf(endpoint),
    bodyLimit: endpoint.bodyLimit ?? handlerBodyLimit,
    // A stream has no end to send the length of: HEAD is not among its methods.
    exposeHeadRoute: endpoint.method === 'GET' && endpoint.kind !== 'stream',
    config: { operation },
    onRequest: [meantFor(operation, methods), admit(app, operation)],
    ...(endpoint.reply &&
      !free && {
        schema: { response: { [endpoint.status]: endpoint.reply, ...(endpoint.held && { 202: endpoint.reply }) } },
      }),
    handler: async (request, reply) => {
      admitAgain(app, endpoint, request)
      const isDry = dryRunAsked(endpoint, request.query)
      if (endpoint.kind === 'stream') takeSeat(app, request, reply)
      const given = receive(app, operation, request.actor, request.body)
      const input = {
        ...(request.params as object),
        ...checkedQuery(query, request.query),
        ...checkedBody(operation, body, given),
      }
      if (isDry) {
        const tried = await tryOut(app, operation, request.actor, input, { ip: request.address, request, reply })
        sendDryRun(app, operation, tried, { actor: request.actor!, reply })
        return
      }
      const result = await dispatch(app, operation, request.actor, input, { ip: request.address, request, reply })
      if (reply.sent || endpoint.kind === 'stream') return reply
      if (!free && reply.statusCode === 200) reply.code(statusOf(endpoint, result))
      // Nothing is returned: the framework would wait for the end of a reply that it is given back.
      reply.send(free ? result : endpoint.status === 204 ? undefined : (result ?? null))
    },
  })
}

/** One person's streams are counted together, whatever they follow. */
function takeSeat({ streams }: App, { actor }: FastifyRequest, { raw }: FastifyReply): void {
  const leave = streams.take(actor!.id)
  if (!leave)
    throw problem('rate_limited', {
      headers: { 'retry-after': '10' },
      detail: 'You have too many streams open; close some of them',
    })
  raw.once('close', leave)
  if (raw.destroyed) leave()
}

/** Refuses an address that only looks as if it were meant for this operation. */
function meantFor({ endpoint }: Operation, methods: Methods): onRequestHookHandler {
  const url = urlOf(endpoint)
  const shadows = new Map(
    [endpoint.method, ...(endpoint.method === 'GET' ? ['HEAD'] : [])].map((method) => [
      method,
      methods.shadowOf(method, url),
    ]),
  )
  const named = url.includes(':')
  return (request, _reply, done) => {
    if (named && isReserved(pathOf(request))) throw problem('not_found')
    const refused = shadows.get(request.method)?.(pathOf(request))
    if (refused) throw refused
    if (named && Object.values(request.params as object).includes('')) throw problem('not_found')
    done()
  }
}

function checkedQuery(check: Validator | undefined, given: unknown): object {
  if (!check) return {}
  const result = check(given)
  if ('problem' in result) throw result.problem
  return { query: result.value }
}

function checkedBody({ endpoint }: Operation, check: Validator | undefined, given: unknown): object {
  const { malformed, bodyOptional } = endpoint
  if (!check || (bodyOptional && given === undefined)) return {}
  const result =
    given === undefined ? { problem: problem('invalid_json', { detail: 'A JSON body is required' }) } : check(given)
  if (!('problem' in result)) return { body: result.value }
  if (malformed === 'ignore') return {}
  throw malformed ? problem(malformed) : result.problem
}

function logRequest(app: App, request: FastifyRequest, reply: { statusCode: number; elapsedTime: number }): void {
  const operation = request.routeOptions.config?.operation?.name ?? 'none'
  app.metrics.observeRequest(operation, reply.statusCode, reply.elapsedTime / 1000)
  if (!app.log.isLevelEnabled('debug') && reply.statusCode < 500) return
  app.log.debug(
    {
      request_id: request.id,
      operation,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      user: request.actor?.id,
    },
    'Request',
  )
}
