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
import { aliased, type Endpoint, statusOf, urlOf } from '#contract/define'
import { isReserved } from '#contract/reserved'
import { receive } from '../agents/calls.ts'
import type { App } from '../app.ts'
import { ConfigError } from '../config.ts'
import { dispatchNow, type Operation, tryOut } from '../dispatch.ts'
import type { Actor } from '../feature.ts'
import { createRequestIds } from '../ids.ts'
import { type Problem, problem } from '../problem.ts'
import { settings } from '../settings.ts'
import { admit, admitAgain } from './admit.ts'
import { dryRunAsked, isRepeated, sendDryRun } from './dry-run.ts'
import { deepestBody, nestsDeeper } from './json-depth.ts'
import { createMethods, type Methods } from './methods.ts'
import { fixedHeaders, pathOf, refuseConnection, sendProblem } from './refusal.ts'
import { type Validator, validator } from './validate.ts'
import { createWebServer, type TlsFiles } from './web-server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
    /** The client's address, as reported by trusted proxies. */
    address: string
    /** The client uses TLS, as reported by trusted proxies. */
    encrypted: boolean
    /** When the caller was admitted, milliseconds since 1970. */
    admittedAt: number
    /** The body as it came, of endpoints that are `raw`. */
    rawBody: string
    /** Cookies get the names and attributes for HTTPS. */
    secureCookies: boolean
  }
  interface FastifyContextConfig {
    operation?: Operation
    /** The request is proxied to a crew unread. */
    exposed?: boolean
  }
}

const globalBodyLimit = 16 * 1024 * 1024
const handlerBodyLimit = 1024 * 1024
const bodyMs = 60_000
const exposedPath = /^\/exposed\//
const exposedRoute = '/exposed'

/** Serves every operation over HTTP. Checks run as in docs/rules/http.md, "Order of checks". */
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
  http.decorateRequest('rawBody', '')
  http.decorateRequest('secureCookies', false)
  http.setSerializerCompiler(compileLater)
  acceptBodies(http)

  // Synchronous hooks take `done`, which is cheaper than a promise for each request.
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers(fixedHeaders).header('x-request-id', request.id)
    checkHostAndSize(app, request)
    const { socket, headers } = request
    request.address = app.originRules.clientIp(socket.remoteAddress, headers)
    request.encrypted = app.originRules.isSecure(socket.remoteAddress, headers, 'encrypted' in socket)
    request.secureCookies = request.encrypted || app.config.forceSecureCookies
    // Proxied requests have no deadline for their body.
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
    // Does not reveal which internal paths exist.
    if (path.startsWith('/api/v1/internal/')) throw problem('not_found')
    throw (
      (path.startsWith('/api/') && app.limits.take('api', request.address)) ||
      (!isReserved(path) && methods.refuse(path)) ||
      problem('not_found')
    )
  })
  const takesBytes = ({ endpoint }: Operation) => endpoint.bytes === true
  for (const operation of operations.filter((it) => !takesBytes(it))) addRoute(app, http, operation, methods)
  http.register((within, _options, done) => {
    acceptBytes(within)
    for (const operation of operations.filter(takesBytes)) addRoute(app, within, operation, methods)
    done()
  })
  addExposed(app, http)
  return http
}

/** All operations, with a copy for each other path and each configured alias. */
function withAliases({ operations, config }: App): Operation[] {
  const all = [...operations.values()]
  const others = all.flatMap((operation) => {
    const { aliases, also, path } = operation.endpoint
    const paths = (aliases ? config[aliases] : []).map((name) => {
      const [before, after] = path.split(`/${aliased[aliases!]}`) as [string, string]
      const other = `${before}/${name}`
      if (all.some((it) => it.endpoint.path === other || it.endpoint.path.startsWith(`${other}/`)))
        throw new ConfigError(`${settings[aliases!].path} has "${name}", which is an address of this API already`)
      return `${other}${after}`
    })
    return [...paths, ...(also ? [also] : [])].map((other) => ({
      ...operation,
      endpoint: { ...operation.endpoint, path: other },
    }))
  })
  return [...all, ...others]
}

/** Routes capability URLs: one route takes every method and path, and no rule for bodies applies. */
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

/** Closes the connection when the body has not arrived in time. */
function expectBody(raw: IncomingMessage): void {
  if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return
  const late = setTimeout(() => {
    if (!raw.complete && raw.socket instanceof Socket)
      refuseConnection({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket)
  }, bodyMs).unref()
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(late))
}

/** Serializes answers by their schema, so undeclared members are dropped. Compiled on first use, for a quick start. */
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
    const { malformed, raw } = request.routeOptions.config.operation?.endpoint ?? {}
    if (raw) request.rawBody = body as string
    if (nestsDeeper(body as string, deepestBody)) {
      const detail = `The body is nested more than ${deepestBody} levels deep`
      return malformed === 'ignore' ? done(null, undefined) : done(problem(malformed ?? 'invalid_json', { detail }))
    }
    parse(request, body as string, (error, value) => {
      if (!error) done(null, value)
      else if (malformed === 'ignore') done(null, undefined)
      else done(problem(malformed ?? 'invalid_json'))
    })
  })
  // curl and others send this type by default, so a body under it gets an error that asks for JSON unless it is a form.
  http.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    if (!request.routeOptions.config.operation?.endpoint.form) return done(problem('unsupported_media_type'))
    done(null, Object.fromEntries(new URLSearchParams(body as string)))
  })
  http.addContentTypeParser('multipart/form-data', (request, body, done) => {
    const { upload, streamed } = request.routeOptions.config.operation?.endpoint ?? {}
    if (!upload) return done(problem('unsupported_media_type'))
    if (streamed) return done(null, body)
    collect(body, request.routeOptions.bodyLimit).then((bytes) => done(null, bytes), done)
  })
}

/** The bytes of a body; rejects once there are more than `most`. */
async function collect(body: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > most) throw Object.assign(new Error('The body is too large'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Takes every body as it comes, whatever it says it is. */
function acceptBytes(http: FastifyInstance): void {
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
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
  const query = endpoint.query && validator(endpoint.query, 'query')
  const body = endpoint.body && validator(endpoint.body, 'body')
  http.route({
    method: endpoint.method,
    url: urlOf(endpoint),
    bodyLimit: endpoint.bodyLimit ?? handlerBodyLimit,
    // A stream has no length that HEAD could answer.
    exposeHeadRoute: endpoint.method === 'GET' && endpoint.kind !== 'stream',
    config: { operation },
    onRequest: [meantFor(operation, methods), admit(app, operation)],
    ...(endpoint.reply &&
      !isFree(endpoint) && {
        schema: {
          response: {
            [endpoint.status]: endpoint.reply,
            ...(endpoint.held && { 202: endpoint.reply }),
            ...(endpoint.partial && { 207: endpoint.reply }),
            ...(endpoint.repeatable && { 200: endpoint.reply }),
          },
        },
      }),
    handler(request, reply) {
      admitAgain(app, endpoint, request)
      const isDry = dryRunAsked(endpoint, request.query)
      if (endpoint.kind === 'stream') takeSlot(app, request, reply)
      const given = receive(app, operation, request.actor, request.body)
      const input = {
        ...(request.params as object),
        ...checkedQuery(query, request.query),
        ...checkedBody(operation, body, given),
      }
      const web = { ip: request.address, request, reply }
      if (isDry)
        return tryOut(app, operation, request.actor, input, web).then((tried) =>
          sendDryRun(app, operation, tried, { actor: request.actor!, reply }),
        )
      // No promise for reads that answer at once, which most do.
      const result = dispatchNow(app, operation, request.actor, input, web)
      return result instanceof Promise
        ? result.then((late) => answer(endpoint, reply, late))
        : answer(endpoint, reply, result)
    },
  })
}

/** Sends the result. Returns nothing then: the framework would wait for the end of a returned reply. */
function answer(endpoint: Endpoint, reply: FastifyReply, result: unknown): FastifyReply | undefined {
  if (reply.sent || endpoint.kind === 'stream') return reply
  const free = isFree(endpoint)
  if (!free && reply.statusCode === 200 && !isRepeated(endpoint, reply)) reply.code(statusOf(endpoint, result))
  reply.send(free ? result : endpoint.status === 204 ? undefined : (result ?? null))
  return undefined
}

/** Whether what is answered has no schema. */
const isFree = ({ kind }: Endpoint): boolean => kind === 'text' || kind === 'stream'

/** Counts one more open stream of this person, of whatever kind, until the connection closes. */
function takeSlot({ streams }: App, { actor }: FastifyRequest, { raw }: FastifyReply): void {
  const release = streams.take(actor!.id)
  if (!release)
    throw problem('rate_limited', {
      headers: { 'retry-after': '10' },
      detail: 'You have too many streams open; close some of them',
    })
  raw.once('close', release)
  if (raw.destroyed) release()
}

/** Refuses a path that the router took for this operation although another one is meant. */
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
