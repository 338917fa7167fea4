import { mkdir } from 'node:fs/promises'
import type { AgentPlaces, AgentSpec } from '../types.ts'

/** Folders of agents below a crew's own; what is in memory in a container is on the disk here. */
export function placesBelow(root: string, { slug }: AgentSpec, sidecarUrl: string): AgentPlaces {
  return {
    home: `${root}/homes/${slug}`,
    output: `${root}/output/${slug}`,
    workspace: `${root}/workspace/${slug}`,
    secrets: `${root}/secrets/${slug}`,
    crewShared: `${root}/shared`,
    workspaceShared: `${root}/workspace-shared`,
    runs: `${root}/spool/${slug}`,
    sidecarUrl,
  }
}

export async function makePlaces({ sidecarUrl: _, ...folders }: AgentPlaces): Promise<void> {
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true, mode: 0o700 })
}
