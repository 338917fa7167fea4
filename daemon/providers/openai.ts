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
  probe: (value) => ({ url: '/v1/models', headers: bearer(value) }),
}
