import { describe, expect, it } from 'vitest'
import { loadConfig } from '#kernel/config'
import { isTestable, probeOf } from '../../../../daemon/features/credentials/probes/rules.ts'
import { vendorSettings } from '../../../../daemon/vendor-settings.ts'

const { config } = loadConfig({ env: { XDG_CONFIG_HOME: '/nonexistent' }, vendor: vendorSettings })

describe('probeOf', () => {
  it.each([
    [
      'ANTHROPIC',
      'API_KEY',
      'https://api.anthropic.com/v1/models?limit=1',
      { 'x-api-key': 'v', 'anthropic-version': '2023-06-01' },
    ],
    [
      'ANTHROPIC',
      'AI_CLI_TOKEN',
      'https://api.anthropic.com/v1/models?limit=1',
      { authorization: 'Bearer v', 'anthropic-beta': 'oauth-2025-04-20', 'anthropic-version': '2023-06-01' },
    ],
    ['OPENAI', 'API_KEY', 'https://api.openai.com/v1/models', { authorization: 'Bearer v' }],
    [
      'GOOGLE',
      'API_KEY',
      'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1',
      { 'x-goog-api-key': 'v' },
    ],
    ['CURSOR', 'SECRET', 'https://api.cursor.com/v0/me', { authorization: 'Basic djo=' }],
    [
      'GITHUB',
      'CLI_TOKEN',
      'https://api.github.com/user',
      { authorization: 'Bearer v', accept: 'application/vnd.github+json' },
    ],
    ['GITLAB', 'CLI_TOKEN', 'https://gitlab.com/api/v4/user', { 'private-token': 'v' }],
    ['VERCEL', 'CLI_TOKEN', 'https://api.vercel.com/v2/user', { authorization: 'Bearer v' }],
  ] as const)('asks %s about a value of type %s', (provider, type, url, headers) => {
    expect(probeOf(config, { provider, type, value: 'v' })).toMatchObject({ url, headers })
  })

  it('lets only configured addresses be private', () => {
    const operators = (['ANTHROPIC', 'OPENAI', 'GOOGLE', 'GITHUB', 'GITLAB', 'VERCEL', 'CURSOR'] as const).map(
      (provider) => probeOf(config, { provider, type: 'SECRET', value: 'v' })?.operator,
    )
    expect(operators).toEqual([true, true, true, false, false, false, false])
  })

  it('knows by which answers a provider does not know the key', () => {
    const refusals = (provider: 'ANTHROPIC' | 'GOOGLE' | 'GITHUB') =>
      probeOf(config, { provider, type: 'SECRET', value: 'v' })?.refusals
    expect([refusals('ANTHROPIC'), refusals('GITHUB'), refusals('GOOGLE')]).toEqual([
      [401, 403],
      [401, 403],
      [400, 401, 403],
    ])
  })

  it('knows nothing to ask some providers', () => {
    expect(probeOf(config, { provider: 'GROQ', type: 'SECRET', value: 'v' })).toBeNull()
    expect(probeOf(config, { provider: 'NONE', type: 'SECRET', value: 'v' })).toBeNull()
    expect((['GROQ', 'NONE', 'GITHUB'] as const).map(isTestable)).toEqual([false, false, true])
  })
})
