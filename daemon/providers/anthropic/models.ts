import type { Models } from '../provider.ts'

const curated = [
  'claude-fable-5',
  'claude-opus-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-opus-4-6',
  'claude-sonnet-5',
  'claude-sonnet-4-6',
  'claude-haiku-4-5',
] as const

/** Names that the client itself turns into models. */
const aliases = ['default', 'opus', 'sonnet', 'haiku', 'opusplan']

/** `[1m]` asks for a larger context. */
function knows(given: string, live: readonly string[] | null): boolean {
  const id = given.replace(/\[1m\]$/, '')
  if (aliases.includes(id) || (live ?? curated).includes(id)) return true
  return (
    live === null &&
    curated.some((known) => id.startsWith(`${known}-`) && /^(\d{8}|latest)$/.test(id.slice(known.length + 1)))
  )
}

export const models: Models = {
  family: /^(?:claude|sonnet|haiku|opus)/,
  curated,
  tiers: {
    trivial: 'claude-haiku-4-5',
    fast: 'claude-haiku-4-5',
    moderate: 'claude-sonnet-5',
    smart: 'claude-opus-5',
  },
  knows,
  ask: (token) => ({
    path: '/v1/models?limit=1000',
    headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01' },
  }),
}
