import type { CredentialProvider, CredentialType } from '#contract/credentials'
import type { Config } from '#kernel/config'

/** One harmless request that a provider answers differently for good and bad keys. */
export interface Probe {
  url: string
  headers: Record<string, string>
  /** The address is the operator's own setting. */
  operator: boolean
  /** Statuses by which the provider says that it does not know the key. */
  refusals: readonly number[]
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
const refused = [401, 403] as const

/** Whether Muster knows how to ask the provider about a value. */
export const isTestable = (config: Config, provider: CredentialProvider, type: CredentialType): boolean =>
  probeOf(config, { provider, type, value: '' }) !== null

/** Null when Muster knows no way to ask. */
export function probeOf(
  config: Config,
  { type, provider, value }: { type: CredentialType; provider: CredentialProvider; value: string },
): Probe | null {
  const base = (url: string) => url.replace(/\/+$/, '')
  const configured = (url: string, headers: Record<string, string>, refusals: readonly number[] = refused): Probe => ({
    url,
    headers,
    operator: true,
    refusals,
  })
  const fixed = (url: string, headers: Record<string, string>): Probe => ({
    url,
    headers,
    operator: false,
    refusals: refused,
  })
  switch (provider) {
    case 'ANTHROPIC':
      return configured(`${base(config.anthropicUrl)}/v1/models?limit=1`, {
        ...anthropic(type, value),
        'anthropic-version': '2023-06-01',
      })
    case 'OPENAI':
      return configured(`${base(config.openaiUrl)}/v1/models`, bearer(value))
    case 'GOOGLE':
      // A bad key is a 400 here.
      return configured(`${base(config.googleUrl)}/v1beta/models?pageSize=1`, { 'x-goog-api-key': value }, [
        400,
        ...refused,
      ])
    case 'CURSOR':
      return fixed('https://api.cursor.com/v0/me', {
        authorization: `Basic ${Buffer.from(`${value}:`).toString('base64')}`,
      })
    case 'GITHUB':
      return fixed('https://api.github.com/user', { ...bearer(value), accept: 'application/vnd.github+json' })
    case 'GITLAB':
      return fixed('https://gitlab.com/api/v4/user', { 'private-token': value })
    case 'VERCEL':
      return fixed('https://api.vercel.com/v2/user', bearer(value))
    default:
      return null
  }
}

const anthropic = (type: CredentialType, value: string): Record<string, string> =>
  type === 'AI_CLI_TOKEN' || value.startsWith('sk-ant-oat')
    ? { ...bearer(value), 'anthropic-beta': 'oauth-2025-04-20' }
    : { 'x-api-key': value }
