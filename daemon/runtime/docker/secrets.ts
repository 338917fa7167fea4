import type Docker from 'dockerode'
import type { AgentSpec } from '../types.ts'
import { ids } from './names.ts'

/** Owned by root: agents cannot create entries in it, only use the folder that was made for them. */
export const secretsFolder = '/secrets'

const common = 'nosuid,nodev,noexec'
/** For one agent: sixty values of the maximum size, each in a file and in `.env`. */
const own = `${common},size=8m,nr_inodes=1k`
/** For all agents that join after the container was created. */
const shared = `${common},size=16m,nr_inodes=4k`

/** A volume in memory, since the engine can create agents' folders only in volumes. Empty while no container runs. */
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

/** A separate mount for each agent in the crew when its container is created, so that none can fill another's. */
export const secretsMounts = (agents: readonly AgentSpec[]): Record<string, string> =>
  Object.fromEntries(
    agents.map(({ slug, uid }) => [`${secretsFolder}/${slug}`, `rw,${own},uid=${uid},gid=${ids.crewGroup},mode=0700`]),
  )
