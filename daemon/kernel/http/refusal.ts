import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { urlOf } from '#contract/define'
import type { App } from '../app.ts'
import { newId } from '../ids.ts'
import { Problem, problem } from '../problem.ts'
import { storageProblem } from '../store/storage-fault.ts'
import { version } from '../version.ts'
import { clearSession } from './cookies.ts'

/** Headers of every answer. docs/rules/http.md, "Headers and bodies". */
export const fixedHeaders = {
  // Answers hold tokens and private data; an endpoint whose answers may be cached overrides this.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-svc-server-version': version,
}

export function pathOf({ url }: FastifyRequest): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** The path of a request, without the token that some have in it: answers end up in logs. */
function instanceOf(request: FastifyRequest): string {
  const { token } = (request.params ?? {}) as { token?: string }
  return token ? pathOf(request).replace(encodeURIComponent(token), ':token') : pathOf(request)
}

/** Answers with the problem that was thrown. Any other error is logged and answered as `internal`. */
export function sendProblem(
  app: App,
  error: FastifyError | Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const known = error instanceof Problem ? error : (storageProblem(error) ?? translate(error, request))
  if (!known)
    app.log.error(
      { err: error, request_id: request.id, operation: request.routeOptions?.config?.operation?.name },
      'Request failed',
    )
  const failure = known ?? problem('internal')
  // The rest of the body is read and dropped, also for clients that want the connection closed after it. Closing it
  // before would reset it, often before the answer is read, and a proxy would answer 502.
  if (!request.raw.complete && request.headers['content-length'] !== undefined) reply.header('connection', 'keep-alive')
  if (signsOut(app, request) && failure.status < 500 && failure.status !== 429) clearSession(reply)
  reply
    .code(failure.status)
    .headers({ ...fixedHeaders, 'x-request-id': request.id, ...challenge(failure), ...failure.headers })
    .type('application/problem+json')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(failure.toBody(instanceOf(request)))
}

/** Tells clients whether to sign in again. docs/rules/http.md, "Problems". */
const challenge = ({ code }: Problem) =>
  /^(no_credentials|no_workspace|session_|origin_rejected)/.test(code)
    ? { 'www-authenticate': `Bearer error="${code}"` }
    : {}

/** Whether a refusal at this path ends the browser's session, for any method. */
const signsOut = (app: App, request: FastifyRequest): boolean => {
  const path = pathOf(request)
  return (
    path.startsWith('/api/auth/') &&
    [...app.operations.values()].some(({ endpoint }) => endpoint.signsOut && urlOf(endpoint) === path)
  )
}

const isTooLong = ({ code }: { code?: string }) => code === 'FST_ERR_CTP_BODY_TOO_LARGE'

/** The framework's refusals as problems; null for an internal error. */
function translate(error: FastifyError, request: FastifyRequest): Problem | null {
  const { code, statusCode } = error
  const {
    malformed,
    upload,
    overLimit = { code: 'body_over_limit' },
  } = request.routeOptions?.config?.operation?.endpoint ?? {}
  if (isTooLong(error)) {
    const limit = request.routeOptions.bodyLimit
    return problem(overLimit.code, {
      field: overLimit.field,
      detail: `The body is larger than the ${limit} bytes that this endpoint takes`,
    })
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return problem('not_found')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return problem('unsupported_media_type', upload ? { detail: 'Send multipart/form-data' } : {})
  if (code?.startsWith('FST_ERR_CTP') && malformed && malformed !== 'ignore') return problem(malformed)
  if (code?.startsWith('FST_ERR_CTP'))
    return problem('invalid_json', { detail: 'The body does not have the length that was announced' })
  if (statusCode && statusCode >= 400 && statusCode < 500) return problem('invalid_request')
  return null
}

const early: Record<string, 'headers_too_large' | 'request_timeout'> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

const lingerMs = 2000

/** Answers connections that sent no readable request: invalid syntax, headers too large, too slow. */
export function refuseConnection(error: { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const failure = problem(early[error.code ?? ''] ?? 'invalid_request')
  const body = JSON.stringify(failure.toBody(''))
  const headers = {
    ...fixedHeaders,
    'x-request-id': newId(),
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${lines.join('')}\r\n${body}`)
  // Gives the client time to read the answer before the connection is closed.
  const late = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(late))
}
