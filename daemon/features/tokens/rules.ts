import { allows, type Role, type Scope, scopeAllows } from '#contract/roles'

/** Seconds that an administrative token may last. */
export const adminLifetime = { usual: 86_400, least: 60, most: 604_800 }

/** The role that a scope asks its maker to have somewhere. */
const roleFor = (scope: Scope): Role => (scope === '*' || scope === 'workspace:*' ? 'ADMIN' : 'MANAGER')

/** The first of the wanted scopes that nobody with these roles may hand out; null when all may be. */
export const beyondRole = (wanted: readonly Scope[], held: readonly Role[]): Scope | null =>
  wanted.find((scope) => !held.some((role) => allows(roleFor(scope), role))) ?? null

/** The first of the wanted scopes that a token narrowed to `held` does not cover itself; null when it covers all. */
export const beyondScopes = (wanted: readonly Scope[], held: readonly string[]): Scope | null =>
  wanted.find((scope) => !scopeAllows(held, scope)) ?? null

/** When a token ends, seconds since 1970, or null for never. No token outlives the one that it was made with. */
export function endOf({
  tier,
  wanted,
  now,
  maker,
}: {
  tier: string
  wanted: number
  now: number
  maker: number | null
}): number | null {
  const own = tier === 'ADMIN' ? Math.min(wanted || adminLifetime.usual, adminLifetime.most) : wanted
  const end = own ? now + own : null
  if (maker === null) return end
  return end === null ? maker : Math.min(end, maker)
}
