/** Workspace roles, weakest first. docs/rules/http.md, "Order of checks". */
export const roles = ['VIEWER', 'MEMBER', 'MANAGER', 'ADMIN', 'OWNER'] as const
export type Role = (typeof roles)[number]

const rank: Record<Role, number> = { VIEWER: 0, MEMBER: 1, MANAGER: 2, ADMIN: 3, OWNER: 4 }

/** True when `role` is `gate` or stands above it. */
export const allows = (gate: Role, role: Role): boolean => rank[role] >= rank[gate]

/** The one of two roles that stands above the other. */
export const higher = <R extends Role | null>(one: R, other: R): R =>
  other && !(one && allows(other, one)) ? other : one

/** Scopes that narrow a CLI token. docs/rules/http.md, "Scopes". */
export const scopes = [
  '*',
  'agents:write',
  'agents:*',
  'crews:write',
  'crews:*',
  'credentials:write',
  'credentials:*',
  'skills:write',
  'skills:*',
  'webhooks:write',
  'webhooks:*',
  'workspace:admin',
  'workspace:*',
] as const
export type Scope = (typeof scopes)[number]

/** True when a token with these scopes (null: unscoped) may use a route that needs `needed`. */
export function scopeAllows(held: readonly string[] | null, needed: Scope): boolean {
  if (!held) return true
  const family = `${needed.split(':')[0]}:*`
  return held.includes('*') || held.includes(needed) || held.includes(family)
}
