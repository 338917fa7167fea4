/**
 * A call of a vendor's interface that coding agents' clients make. All others are refused, for they would be made with
 * the real key.
 */
export interface Passed {
  method: 'GET' | 'POST'
  /** `{model}` stands for one part of the path, or for its beginning. */
  path: string
  /** Parameters of the query that go with it; none of them can be a credential. */
  parameters: readonly string[]
}

const beta = ['beta']

export const anthropicCalls: readonly Passed[] = [
  { method: 'POST', path: '/v1/messages', parameters: beta },
  { method: 'POST', path: '/v1/messages/count_tokens', parameters: beta },
  { method: 'GET', path: '/v1/models', parameters: [...beta, 'limit', 'after_id', 'before_id'] },
  { method: 'GET', path: '/v1/models/{model}', parameters: beta },
]

export const openaiCalls: readonly Passed[] = [
  { method: 'POST', path: '/v1/responses', parameters: [] },
  { method: 'POST', path: '/v1/chat/completions', parameters: [] },
  { method: 'GET', path: '/v1/models', parameters: ['client_version'] },
  { method: 'GET', path: '/v1/models/{model}', parameters: [] },
]

export const googleCalls: readonly Passed[] = ['/v1beta', '/v1'].flatMap((version): Passed[] => [
  { method: 'POST', path: `${version}/models/{model}:generateContent`, parameters: [] },
  { method: 'POST', path: `${version}/models/{model}:streamGenerateContent`, parameters: ['alt'] },
  { method: 'POST', path: `${version}/models/{model}:countTokens`, parameters: [] },
  { method: 'GET', path: `${version}/models`, parameters: ['pageSize', 'pageToken'] },
  { method: 'GET', path: `${version}/models/{model}`, parameters: [] },
])

/**
 * Request headers that any vendor may get. None chooses an account, organization or workspace: that is for whoever owns
 * the key.
 */
const common =
  'accept|accept-encoding|accept-language|content-encoding|content-type|user-agent|x-client-request-id|x-stainless-[a-z-]+'

const listed = (own: string) => new RegExp(`^(?:${common}|${own})$`)

export const anthropicHeaders = listed(
  'anthropic-(?:beta|client-platform|dangerous-direct-browser-access|version)|x-anthropic-additional-protection|x-app|x-claude-[a-z-]+',
)
export const openaiHeaders = listed(
  'openai-beta|originator|session[-_]id|thread[-_]id|conversation[-_]id|version|x-codex-[a-z-]+|x-openai-(?:internal-codex-[a-z-]+|subagent)',
)
export const googleHeaders = listed('x-goog-api-client|x-server-timeout')
