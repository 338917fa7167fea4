/** A credential that could reach an agent. */
export interface Grant {
  credentialId: string
  provider: string
  variable: string
  source: 'explicit' | 'crew' | 'workspace'
  priority: number
}

const rank = { explicit: 0, crew: 1, workspace: 2 }

/**
 * An agent's own grants before its crew's before the workspace's; in each the lowest number, then the oldest
 * credential.
 */
export const byPrecedence = (a: Grant, b: Grant): number =>
  rank[a.source] - rank[b.source] || a.priority - b.priority || (a.credentialId < b.credentialId ? -1 : 1)

/**
 * The order in which credentials pay for a provider's calls: 0 first, the others once it is spent; equal numbers take
 * turns. Only explicit grants of one priority are equal. The workspace's keys pay only when nothing nearer to the agent
 * does.
 */
export function rankModels<G extends Grant>(grants: readonly G[]): (G & { order: number })[] {
  const ranked: (G & { order: number })[] = []
  const seen = new Map<string, G>()
  for (const grant of [...grants].sort(byPrecedence)) {
    const last = seen.get(grant.provider)
    if (grant.source === 'workspace' && last && last.source !== 'workspace') continue
    const before = ranked.findLast((it) => it.provider === grant.provider)
    const equal = last && last.source === 'explicit' && grant.source === 'explicit' && last.priority === grant.priority
    ranked.push({ ...grant, order: before ? before.order + (equal ? 0 : 1) : 0 })
    seen.set(grant.provider, grant)
  }
  return ranked
}

/** One credential for each variable. */
export function pickVariables<G extends Grant>(grants: readonly G[]): G[] {
  const picked = new Map<string, G>()
  for (const grant of [...grants].sort(byPrecedence)) if (!picked.has(grant.variable)) picked.set(grant.variable, grant)
  return [...picked.values()]
}

/** Text of the file that a shell reads to have every secret as a variable. */
export const envFile = (secrets: readonly { name: string; value: string }[]): string =>
  secrets.map(({ name, value }) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`).join('')
