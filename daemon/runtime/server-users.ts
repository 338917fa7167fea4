/**
 * The users of a crew's container as which its tool servers run: beyond those of agents and scripts, and none but the
 * daemon can become one of them. Those of the second range reach the allowed domains alone, also where the crew may
 * reach all hosts.
 */
export const serverUsers = { free: 40_000, restricted: 45_000, count: 5000 } as const

/** So many of each range have names and are given: a crew has 400 servers at most, and some that are only tried. */
export const namedServers = 500

const isIn = (uid: number, first: number): boolean => uid >= first && uid < first + serverUsers.count

export const isRestrictedServer = (uid: number): boolean => isIn(uid, serverUsers.restricted)
export const isServerUser = (uid: number): boolean => isIn(uid, serverUsers.free) || isRestrictedServer(uid)

const prefix = 'server-'

/** How a sidecar names such a user in its reports. */
export const nameOfServerUser = (uid: number): string => `${prefix}${uid}`

/** The user that a sidecar names so; null for all others. */
export function serverUserNamed(name: string): number | null {
  const uid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN
  return isServerUser(uid) ? uid : null
}
