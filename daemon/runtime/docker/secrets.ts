import type Docker from 'dockerode'
import type { AgentSpec } from '../types.ts'
import { ids } from './names.ts'

/** Root's: an agent has there what was made for it, and makes nothing itself. */
export const secretsFolder = '/secrets'

const common = 'nosuid,nodev,noexec'
/** Sixty values of the greatest size, each in a file and in `.env`. */
const own = `${common},size=8m,nr_inodes=1k`
/** What those share who join after the container was made. */
const shared = `${common},size=16m,nr_inodes=4k`

/**
 * A volume in memory, for the engine makes folders for agents in volumes alone. It is empty whenever the container does
 * not run.
 */
export const secretsVolume = (Source: string, Labels: Record<string, string>): Docker.MountSettings => ({
  Type: 'volume',
  Source,
  Target: secretsFolder,
  VolumeOptions: {
    NoCopy: true,
    Labels,
    DriverConfig: { Name: 'local', Options: { type: 'tmpfs', device: 'tmpfs', o: `${shared},mode=0711` } },
  },
})

/** Mounts of their own for agents that are in the crew when its container is made: who fills one is in nobody's way. */
export const secretsMounts = (agents: readonly AgentSpec[]): Record<string, string> =>
  Object.fromEntries(
    agents.map(({ slug, uid }) => [`${secretsFolder}/${slug}`, `rw,${own},uid=${uid},gid=${ids.crewGroup},mode=0700`]),
  )
