/**
 * User and group ids in a crew's container. The sidecar and the channel share a uid, but no groups. What watches writes
 * has the agents' group and a uid of its own: it reads what all of them may read, and none of them can signal it.
 */
export const ids = {
  crewGroup: 1001,
  watcher: 1002,
  ender: 1004,
  writes: 1005,
  nobody: 65534,
  firstAgent: 20001,
  lastNamedAgent: 20500,
} as const

export const labels = {
  managed: 'svc.managed',
  kind: 'svc.kind',
  crew: 'svc.crew-id',
  slug: 'svc.crew-slug',
  workspace: 'svc.workspace-id',
  contract: 'svc.contract',
  image: 'svc.image',
  installation: 'svc.installation',
} as const

export type Kind = 'crew' | 'sidecar' | 'ender' | 'network' | 'volume' | 'image'

/** Mount points of the crew's own volumes. */
export const volumes = { crew: '/crew', workspace: '/workspace', output: '/output', spool: '/spool' } as const

/** Address of the sidecar, as the programs of its crew see it. */
export const sidecarUrl = 'http://127.0.0.1:9119'

export interface Naming {
  /** Prefix of every container's name. */
  prefix: string
  /** Id that tells this installation's containers from those of others on the same engine. */
  installation: string
}

export const crewName = ({ prefix }: Naming, slug: string, crewId: string) => `${prefix}-team-${slug}-${crewId}`
export const sidecarName = ({ prefix }: Naming, slug: string, crewId: string) => `${prefix}-sidecar-${slug}-${crewId}`
export const enderName = ({ prefix }: Naming, slug: string, crewId: string) => `${prefix}-ender-${slug}-${crewId}`
export const networkName = ({ prefix }: Naming, crewId: string) => `${prefix}-${crewId}`
export const secretsName = ({ prefix }: Naming, crewId: string) => `${prefix}-${crewId}-secrets`
export const marksName = ({ prefix }: Naming, crewId: string) => `${prefix}-${crewId}-marks`
export const volumeName = ({ prefix }: Naming, crewId: string, volume: string) => `${prefix}-${crewId}-${volume}`

export const labelFilter = ({ installation }: Naming, more: Record<string, string> = {}) => ({
  label: [`${labels.installation}=${installation}`, ...Object.entries(more).map(([key, value]) => `${key}=${value}`)],
})
