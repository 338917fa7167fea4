import type { Prices } from './prices.ts'
import { bearer, type Provider, textsOf } from './provider.ts'
import { listed, type Passed, type Vendor } from './vendor.ts'

const base = 'https://generativelanguage.googleapis.com'

const statuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const vendor: Vendor = {
  provider: 'GOOGLE',
  mount: '/gemini',
  keepsMount: false,
  base,
  calls: ['/v1beta', '/v1'].flatMap((version): Passed[] => [
    { method: 'POST', path: `${version}/models/{model}:generateContent`, parameters: [] },
    { method: 'POST', path: `${version}/models/{model}:streamGenerateContent`, parameters: ['alt'] },
    { method: 'POST', path: `${version}/models/{model}:countTokens`, parameters: [] },
    { method: 'GET', path: `${version}/models`, parameters: ['pageSize', 'pageToken'] },
    { method: 'GET', path: `${version}/models/{model}`, parameters: [] },
  ]),
  headers: listed('x-goog-api-client|x-server-timeout'),
  authenticate: ({ kind, token }) => (kind === 'oauth' ? bearer(token) : { 'x-goog-api-key': token }),
  defaults: {},
  badCredential: { refused: /API_KEY_INVALID|api key (?:not valid|expired|not found)/i },
  failure: (status, message) => ({
    error: { code: status, message, status: statuses[status] ?? 'INVALID_ARGUMENT' },
  }),
}

/** https://ai.google.dev/gemini-api/docs/pricing */
const prices: Prices = {
  asOf: '2026-03-31',
  models: {
    'gemini-2.5-pro': { input: 1.25, output: 10, cacheRead: 0.125, upTo: 200_000 },
    'gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03 },
  },
}

export const google: Provider = {
  name: 'GOOGLE',
  hosts: ['generativelanguage.googleapis.com', 'oauth2.googleapis.com', 'accounts.google.com'],
  address: {
    path: 'models.google_url',
    env: 'SVC_GOOGLE_URL',
    kind: 'string',
    fallback: base,
    summary: 'Where model calls to Google go',
  },
  vendor,
  models: {
    family: /^gemini/,
    curated: ['gemini-2.0-flash', 'gemini-1.5-pro', 'gemini-1.5-flash'],
    knows: () => true,
  },
  completion: {
    model: 'gemini-2.5-flash',
    request: ({ model, system, prompt, maxTokens }, token) => ({
      path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      headers: { 'x-goog-api-key': token },
      body: {
        systemInstruction: { parts: [{ text: system }] },
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: { maxOutputTokens: maxTokens },
      },
    }),
    text(answer) {
      const { candidates } = (answer ?? {}) as { candidates?: { content?: { parts?: unknown } | null }[] }
      return Array.isArray(candidates) ? textsOf(candidates[0]?.content?.parts) : null
    },
  },
  prices,
  // A bad key is a 400 here.
  probe: (value) => ({
    url: '/v1beta/models?pageSize=1',
    headers: { 'x-goog-api-key': value },
    refusals: [400, 401, 403],
  }),
}
