import { bearer, type Provider, textsOf } from '../provider.ts'
import { listed, type Vendor } from '../vendor.ts'
import { models } from './models.ts'
import { prices } from './prices.ts'

const base = 'https://api.anthropic.com'
const version = { 'anthropic-version': '2023-06-01' }
/** The vendor takes bearer tokens only from callers who say so. */
const bearerBeta = 'oauth-2025-04-20'

const isLogin = (token: string): boolean => token.startsWith('sk-ant-oat')

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

const beta = ['beta']

const vendor: Vendor = {
  provider: 'ANTHROPIC',
  mount: '/v1',
  keepsMount: true,
  base,
  calls: [
    { method: 'POST', path: '/v1/messages', parameters: beta },
    { method: 'POST', path: '/v1/messages/count_tokens', parameters: beta },
    { method: 'GET', path: '/v1/models', parameters: [...beta, 'limit', 'after_id', 'before_id'] },
    { method: 'GET', path: '/v1/models/{model}', parameters: beta },
  ],
  headers: listed(
    'anthropic-(?:beta|client-platform|dangerous-direct-browser-access|version)|' +
      'x-anthropic-additional-protection|x-app|x-claude-[a-z-]+',
  ),
  authenticate: ({ kind, token }, headers) => {
    if (kind !== 'oauth' && !isLogin(token)) return { 'x-api-key': token }
    const betas = [headers['anthropic-beta'] ?? []].flat().join(',').split(',')
    const asked = betas.map((it) => it.trim()).filter((it) => it && it !== bearerBeta)
    return { ...bearer(token), 'anthropic-beta': [...asked, bearerBeta].join(',') }
  },
  defaults: version,
  badCredential: { quota: /credit balance is too low/i },
  failure: (status, message) => ({
    type: 'error',
    error: { type: types[status] ?? 'invalid_request_error', message },
  }),
}

export const anthropic: Provider = {
  name: 'ANTHROPIC',
  hosts: ['api.anthropic.com', 'console.anthropic.com'],
  address: {
    path: 'models.anthropic_url',
    env: 'SVC_ANTHROPIC_URL',
    kind: 'string',
    fallback: base,
    summary: 'Where model calls to Anthropic go',
  },
  vendor,
  models,
  completion: {
    model: 'claude-haiku-4-5',
    writer: 'claude-sonnet-4-6',
    request: ({ model, system, prompt, maxTokens }, token) => ({
      path: '/v1/messages',
      headers: { ...version, 'x-api-key': token },
      body: { model, system, messages: [{ role: 'user', content: prompt }], max_tokens: maxTokens },
    }),
    text: (answer) => textsOf((answer as { content?: unknown } | null)?.content),
  },
  judging: { wire: 'anthropic-messages', model: 'claude-haiku-4-5' },
  serverKey: {
    path: 'models.anthropic_key',
    env: 'ANTHROPIC_API_KEY',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: "This server's own key of Anthropic, for evaluators",
  },
  prices,
  probe: (value, type) => ({
    url: '/v1/models?limit=1',
    headers:
      type === 'AI_CLI_TOKEN' || isLogin(value)
        ? { ...bearer(value), 'anthropic-beta': bearerBeta, ...version }
        : { 'x-api-key': value, ...version },
  }),
  loginVariable: 'CLAUDE_CODE_OAUTH_TOKEN',
  isLogin,
}
