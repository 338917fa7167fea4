import { chatCompletions } from './chat-completions.ts'
import type { Price, Prices } from './prices.ts'
import { bearer, type Provider } from './provider.ts'
import { listed, type Vendor } from './vendor.ts'

const base = 'https://api.openai.com'

const vendor: Vendor = {
  provider: 'OPENAI',
  mount: '/openai',
  keepsMount: false,
  base,
  calls: [
    { method: 'POST', path: '/v1/responses', parameters: [] },
    { method: 'POST', path: '/v1/chat/completions', parameters: [] },
    { method: 'GET', path: '/v1/models', parameters: ['client_version'] },
    { method: 'GET', path: '/v1/models/{model}', parameters: [] },
  ],
  headers: listed(
    'openai-beta|originator|session[-_]id|thread[-_]id|conversation[-_]id|version|' +
      'x-codex-[a-z-]+|x-openai-(?:internal-codex-[a-z-]+|subagent)',
  ),
  authenticate: ({ token }) => bearer(token),
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

const price = (input: number, cacheRead: number, output: number): Price => ({ input, output, cacheRead })

/** https://developers.openai.com/api/docs/pricing; newer models changed their prices often and are left out. */
const prices: Prices = {
  asOf: '2026-05-05',
  models: {
    'gpt-4.1': price(2, 0.5, 8),
    'gpt-5-mini': price(0.25, 0.025, 2),
    'gpt-5-codex': price(1.25, 0.125, 10),
    'gpt-5.1-codex': price(1.25, 0.125, 10),
    'gpt-5.1-codex-max': price(1.25, 0.125, 10),
    'gpt-5.2': price(1.75, 0.175, 14),
    'gpt-5.2-codex': price(1.75, 0.175, 14),
    'gpt-5.3-codex': price(1.75, 0.175, 14),
  },
}

export const openai: Provider = {
  name: 'OPENAI',
  hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
  address: {
    path: 'models.openai_url',
    env: 'SVC_OPENAI_URL',
    kind: 'string',
    fallback: base,
    summary: 'Where model calls to OpenAI go',
  },
  vendor,
  models: {
    family: /^(?:gpt|o[134](?:-|$))/,
    curated: ['gpt-4o', 'gpt-4o-mini', 'o3', 'o3-mini'],
    // The vendor's list is long and changes often: only its own counts against a name.
    knows: (model, live) => live === null || live.includes(model),
    ask: (token) => ({ path: '/v1/models', headers: bearer(token) }),
  },
  completion: chatCompletions('gpt-5-mini', 'max_completion_tokens'),
  judging: { wire: 'openai-responses', model: 'gpt-5.4-mini' },
  serverKey: {
    path: 'models.openai_key',
    env: 'OPENAI_API_KEY',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: "This server's own key of OpenAI, for evaluators",
  },
  prices,
  probe: (value) => ({ url: '/v1/models', headers: bearer(value) }),
}
