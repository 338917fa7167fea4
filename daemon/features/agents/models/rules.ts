/** Models that the vendor is known to serve, most capable first: what counts when the vendor cannot be asked. */
export const curatedModels = [
  'claude-fable-5',
  'claude-opus-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-opus-4-6',
  'claude-sonnet-5',
  'claude-sonnet-4-6',
  'claude-haiku-4-5',
] as const

/** Names that the agent's program itself turns into models. */
const aliases = ['default', 'opus', 'sonnet', 'haiku', 'opusplan']

/**
 * Whether a model exists; `live` is the vendor's own list, null when it could not be asked. `[1m]` asks for a larger
 * context.
 */
export function isKnownModel(given: string, live: readonly string[] | null): boolean {
  const id = given.replace(/\[1m\]$/, '')
  if (aliases.includes(id) || (live ?? curatedModels).includes(id)) return true
  return (
    live === null &&
    curatedModels.some((known) => id.startsWith(`${known}-`) && /^(\d{8}|latest)$/.test(id.slice(known.length + 1)))
  )
}
