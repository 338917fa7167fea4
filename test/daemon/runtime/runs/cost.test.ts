import { describe, expect, it } from 'vitest'
import { loadConfig } from '#kernel/config'
import type { Verdict } from '#runtime/adapters/adapter'
import { priced } from '#runtime/runs/cost'
import type { LaunchFacts } from '#runtime/runs/parts'
import { vendorSettings } from '../../../../daemon/vendor-settings.ts'

const configOf = (env: NodeJS.ProcessEnv = {}) => loadConfig({ env, file: '/dev/null', vendor: vendorSettings }).config
const facts = (provider: string | undefined, model: string | null) =>
  ({ ...(provider && { provider }), command: { model } }) as LaunchFacts
const verdict = (metadata: Verdict['metadata']): Verdict => ({
  status: 'completed',
  kind: null,
  reason: null,
  exit_code: 0,
  metadata,
})
const usage = { input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 10_000 }
const listed = { usage, total_cost_usd: 0.0075, cost_source: 'prices', prices_as_of: '2026-10-24' }

describe('what a program cost', () => {
  it.each<
    [string, given: Verdict['metadata'], LaunchFacts, finished: boolean, env: NodeJS.ProcessEnv, expected: object]
  >([
    [
      'is what its client says, above every list',
      { usage, model: 'claude-sonnet-4-5', total_cost_usd: 9 },
      facts('ANTHROPIC', null),
      true,
      {},
      { usage, model: 'claude-sonnet-4-5', total_cost_usd: 9, cost_source: 'client' },
    ],
    ['is by the list without', { usage }, facts('ANTHROPIC', 'claude-sonnet-4-5'), true, {}, listed],
    [
      'is by the list of the model that the client named',
      { usage, model: 'claude-sonnet-4-5-20250929' },
      facts('ANTHROPIC', 'claude-opus-4-5'),
      true,
      {},
      { ...listed, model: 'claude-sonnet-4-5-20250929' },
    ],
    [
      'is by the list where the client says that it was nothing',
      { usage, total_cost_usd: 0 },
      facts('ANTHROPIC', 'claude-sonnet-4-5'),
      true,
      {},
      listed,
    ],
    [
      'is nothing where nothing was used',
      { total_cost_usd: 0 },
      facts('ANTHROPIC', 'claude-sonnet-4-5'),
      true,
      {},
      { total_cost_usd: 0, cost_source: 'client' },
    ],
    ['is unknown of an unknown model', { usage, total_cost_usd: 0 }, facts('ANTHROPIC', 'mine'), true, {}, { usage }],
    ['is unknown of no model', { usage }, facts('ANTHROPIC', null), true, {}, { usage }],
    ['is unknown before the client told all', { usage }, facts('ANTHROPIC', 'claude-sonnet-4-5'), false, {}, { usage }],
    ['is unknown of an unknown provider', { usage }, facts(undefined, 'claude-sonnet-4-5'), true, {}, { usage }],
    ['is unknown of a provider without a list', { usage }, facts('GROQ', 'x'), true, {}, { usage }],
    [
      "is unknown of an operator's own upstream",
      { usage },
      facts('ANTHROPIC', 'claude-sonnet-4-5'),
      true,
      { SVC_ANTHROPIC_URL: 'http://10.0.0.1:4000' },
      { usage },
    ],
    ['is not told without tokens', {}, facts('ANTHROPIC', 'claude-sonnet-4-5'), true, {}, {}],
  ])('%s', (_, given, launch, finished, env, expected) =>
    expect(priced(configOf(env), launch, verdict(given), finished).metadata).toEqual(expected),
  )
})
