import type { OutgoingHttpHeaders } from 'node:http'
import type { ModelCredential } from '../types.ts'
import {
  anthropicCalls,
  anthropicHeaders,
  googleCalls,
  googleHeaders,
  openaiCalls,
  openaiHeaders,
  type Passed,
} from './passed.ts'

/** One model vendor: where its calls come in and go out, how it takes a credential, how it words a failure. */
export interface Vendor {
  provider: 'ANTHROPIC' | 'OPENAI' | 'GOOGLE'
  base: string
  /** The calls that are passed on, and the names of the headers that go with them. */
  calls: readonly Passed[]
  headers: RegExp
  /** The headers that carry a credential; `headers` are those that go with it. */
  authenticate(credential: ModelCredential, headers: OutgoingHttpHeaders): OutgoingHttpHeaders
  /** Sent when the client sent none. */
  defaults: Record<string, string>
  failure(status: number, message: string): object
}

const bearer = ({ token }: ModelCredential) => ({ authorization: `Bearer ${token}` })

/** The vendor takes bearer tokens only from callers who say so. */
const bearerBeta = 'oauth-2025-04-20'

const anthropicTypes: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

const anthropic: Vendor = {
  provider: 'ANTHROPIC',
  base: 'https://api.anthropic.com',
  calls: anthropicCalls,
  headers: anthropicHeaders,
  authenticate: (credential, headers) => {
    if (credential.kind !== 'oauth' && !credential.token.startsWith('sk-ant-oat'))
      return { 'x-api-key': credential.token }
    const betas = [headers['anthropic-beta'] ?? []].flat().join(',').split(',')
    const asked = betas.map((it) => it.trim()).filter((it) => it && it !== bearerBeta)
    return { ...bearer(credential), 'anthropic-beta': [...asked, bearerBeta].join(',') }
  },
  defaults: { 'anthropic-version': '2023-06-01' },
  failure: (status, message) => ({
    type: 'error',
    error: { type: anthropicTypes[status] ?? 'invalid_request_error', message },
  }),
}

const openai: Vendor = {
  provider: 'OPENAI',
  base: 'https://api.openai.com',
  calls: openaiCalls,
  headers: openaiHeaders,
  authenticate: bearer,
  defaults: {},
  failure: (status, message) => ({
    error: {
      message,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: status === 401 ? 'invalid_api_key' : null,
    },
  }),
}

const googleStatuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const google: Vendor = {
  provider: 'GOOGLE',
  base: 'https://generativelanguage.googleapis.com',
  calls: googleCalls,
  headers: googleHeaders,
  authenticate: (credential) =>
    credential.kind === 'oauth' ? bearer(credential) : { 'x-goog-api-key': credential.token },
  defaults: {},
  failure: (status, message) => ({
    error: { code: status, message, status: googleStatuses[status] ?? 'INVALID_ARGUMENT' },
  }),
}

export const vendors: readonly Vendor[] = [anthropic, openai, google]

const mounts: [prefix: RegExp, vendor: Vendor][] = [
  [/^(?=\/v1(?:[/?]|$))/, anthropic],
  [/^\/openai(?=[/?]|$)/, openai],
  [/^\/gemini(?=[/?]|$)/, google],
]

export interface Route {
  vendor: Vendor
  /** As the vendor knows it, not yet judged. */
  path: string
}

/** The vendor that a request target belongs to. */
export function route(url: string): Route | null {
  for (const [prefix, vendor] of mounts) if (prefix.test(url)) return { vendor, path: url.replace(prefix, '') || '/' }
  return null
}
